# SPDX-License-Identifier: MIT
needs='perl'
setup() {
	cat >script <<'END'
use strict; use warnings; use Socket; use IO::Handle; use Digest::SHA 'sha256_hex'; use POSIX ':sys_wait_h';
my %h; $h{$_ % 17} .= chr(65 + $_ % 26) for 1 .. 20000;
print sha256_hex(join '', map { "$_$h{$_}" } sort { $a <=> $b } keys %h), "\n";
socketpair(my $x, my $y, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die;
my $pid = fork // die;
if (!$pid) { close $x; $y->autoflush(1); while (<$y>) { print $y uc } exit 12 }
close $y; $x->autoflush(1);
print $x "line $_\n" and print scalar <$x> for 1 .. 3;
close $x; waitpid $pid, 0; print 'child ', WEXITSTATUS($?), "\n";
local $SIG{ALRM} = sub { die "alarm\n" }; eval { alarm 1; select undef, undef, undef, 5 }; print $@;
my @big = map { "x" x 1000 } 1 .. 20000; print scalar(@big), "\n"; @big = ();
print `echo backticks; exit 2`, $? >> 8, "\n";
print join(',', sort { $a <=> $b } map { int($_ * 7 % 13) } 1 .. 12), "\n";
exit 77;
END
}
cmd() {
	R perl script
	s=$?
	R perl -ne 'print "$.:$_" if /^root/' /etc/passwd
	R perl -e 'kill 15, $$; sleep 5'
	echo $?
	return $s
}
