# SPDX-License-Identifier: MIT
needs='java javac'
limit=120
setup() {
	cat >Main.java <<'END'
import java.util.*; import java.util.concurrent.*; import java.util.stream.*;
public class Main {
	static int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
	public static void main(String[] a) throws Exception {
		System.out.println(IntStream.range(0, 100000).parallel().mapToLong(i -> (long) i * i).sum());
		ExecutorService e = Executors.newFixedThreadPool(4); List<Future<Integer>> f = new ArrayList<>();
		for (int i = 0; i < 20; i++) { final int k = i; f.add(e.submit(() -> { byte[][] b = new byte[200][]; for (int j = 0; j < 200; j++) b[j] = new byte[10000]; return k * b.length; })); }
		int t = 0; for (Future<Integer> x : f) t += x.get(); e.shutdown(); System.out.println(t);
		try { Object o = null; o.toString(); } catch (NullPointerException x) { System.out.println("null pointer caught"); }
		try { deep(1 << 30); } catch (StackOverflowError x) { System.out.println("stack overflow caught"); }
		Map<String, Integer> m = new TreeMap<>(); for (int i = 0; i < 300000; i++) m.merge("k" + i % 1000, 1, Integer::sum); System.out.println(m.size() + " " + m.get("k77"));
		Process p = new ProcessBuilder("echo", "child").start(); System.out.println(new String(p.getInputStream().readAllBytes()).trim() + p.waitFor());
		System.gc(); System.out.println(String.join(",", a)); System.exit(23);
	}
}
END
	javac Main.java
}
cmd() {
	R java -Xshare:auto -Xmx256m Main x y
}
