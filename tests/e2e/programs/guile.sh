# SPDX-License-Identifier: MIT
# Guile's collector scans memory conservatively.
needs='guile'
cmd() {
	GUILE_AUTO_COMPILE=0 R guile -c '(use-modules (ice-9 threads) (srfi srfi-1))
		(display (fold + 0 (map (lambda (i) (* i i)) (iota 20000)))) (newline)
		(define (churn n) (if (> n 0) (begin (make-vector 1000 n) (churn (- n 1)))))
		(churn 20000) (gc) (display (par-map (lambda (x) (* x x)) (list 1 2 3))) (newline)
		(display (expt 3 200)) (newline) (exit 16)'
}
