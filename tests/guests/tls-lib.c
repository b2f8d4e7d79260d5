/* SPDX-License-Identifier: MIT */
/* A library whose thread-local memory has to come out of the static TLS block. */
__attribute__((tls_model("initial-exec"))) static __thread char local[512];

int tls_lib_bump(int by);

int tls_lib_bump(int by)
{
	local[0] = (char)(local[0] + by);
	local[511] = local[0];
	return local[511];
}
