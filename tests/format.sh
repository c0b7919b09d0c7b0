#!/bin/sh
# Every C file is laid out as clang-format lays it out (.clang-format; `make format` does it). Skipped where clang-format is
# missing or is another version: versions differ.
set -u

version=14
cd "${top_srcdir:-$(dirname "$0")/..}" || exit 1
case $(clang-format --version 2>/dev/null) in
*"version $version."*) ;;
*)
	echo "format.sh: skipped: clang-format $version is missing; on Debian 12: apt-get install clang-format"
	exit 77
	;;
esac
# The check has to be able to fail.
printf 'int  a;\n' | clang-format --dry-run -Werror >/dev/null 2>&1 && { echo "format.sh: sees no difference"; exit 1; }
find kernels src tests bench -name '*.[ch]' -type f -exec clang-format --dry-run -Werror {} +
