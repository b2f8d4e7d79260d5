# SPDX-License-Identifier: MIT
needs='php'
cmd() {
	R php -r '$a = []; for ($i = 0; $i < 50000; $i++) $a["k" . $i % 999][] = $i; echo md5(serialize($a)), "\n";
		echo json_encode(array_slice($a["k7"], 0, 3)), " ", preg_replace("/(\d)(\d)/", "$2$1", "1234"), "\n";
		$p = popen("echo sub", "r"); echo fgets($p); pclose($p); function g() { yield 1; yield 2; } echo array_sum(iterator_to_array(g())), "\n"; exit(18);'
}
