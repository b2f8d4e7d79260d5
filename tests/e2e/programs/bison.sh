# SPDX-License-Identifier: MIT
needs='bison flex m4 gcc'
setup() {
	cat >g.y <<'END'
%{
#include <stdio.h>
int yylex(void);
void yyerror(const char *s) { printf("error: %s\n", s); }
%}
%token NUM
%left '+'
%left '*'
%%
lines: | lines expr '\n' { printf("%d\n", $2); };
expr: NUM | expr '+' expr { $$ = $1 + $3; } | expr '*' expr { $$ = $1 * $3; };
%%
int main(void) { return yyparse(); }
END
	cat >l.l <<'END'
%option noyywrap nounput noinput
%{
#include <stdlib.h>
#include "g.tab.h"
%}
%%
[0-9]+ { yylval = atoi(yytext); return NUM; }
[ ] ;
.|\n return yytext[0];
%%
END
}
cmd() {
	R bison -d g.y && R flex -o l.c l.l && cksum g.tab.c l.c && gcc -o calc g.tab.c l.c && printf '1+2*3\n4 *5\n7 7\n' | R ./calc
	echo $?
	R bison --version | head -1
	R bison bad.y
}
