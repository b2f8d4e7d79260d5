# SPDX-License-Identifier: MIT
needs='javac java'
limit=120
setup() {
	printf 'public class Hi { record P(int a, String b) {} public static void main(String[] x) { System.out.println(new P(1, "two")); } }\n' >Hi.java
	printf 'class Bad { int x = "no"; }\n' >Bad.java
}
cmd() {
	R javac -J-Xmx256m Hi.java && cksum *.class && R java -Xmx128m -cp . Hi
	R javac -J-Xmx256m Bad.java
}
