# SPDX-License-Identifier: MIT
needs='/usr/bin/rustc'
limit=120
setup() {
	cat >a.rs <<'END'
use std::{collections::BTreeMap, process::Command, sync::{mpsc, Arc, Mutex}, thread};
fn main() {
    let m = Arc::new(Mutex::new(BTreeMap::new()));
    let ts: Vec<_> = (0..8).map(|i| { let m = m.clone(); thread::spawn(move || for j in 0..2000 { *m.lock().unwrap().entry(j % 50).or_insert(0) += i * j; }) }).collect();
    for t in ts { t.join().unwrap(); }
    println!("{:?}", m.lock().unwrap().iter().take(3).collect::<Vec<_>>());
    let (tx, rx) = mpsc::channel(); thread::spawn(move || for i in 0..100 { tx.send(vec![i; 1000]).unwrap(); });
    println!("{}", rx.iter().map(|v| v.len()).sum::<usize>());
    println!("{}", thread::spawn(|| { if true { panic!("on purpose") } }).join().is_err());
    println!("{:?}", Command::new("sh").args(["-c", "exit 4"]).status().unwrap().code());
    println!("{}", std::env::current_exe().unwrap().display());
    std::process::exit(29);
}
END
	/usr/bin/rustc -O -o made a.rs
}
cmd() {
	R ./made
	echo $?
	R /usr/bin/rustc -C opt-level=0 -o prog a.rs && R ./prog
	echo $?
	R /usr/bin/rustc --crate-name x - <<<'fn main() { let x: u8 = "a"; }'
}
filter() {
	sed -E 's/[0-9]+: /N: /;s/^(thread .*) \([0-9]+\)/\1/'
}
