dnl SLX_NEED(PREFIX, MODULE, DEBIAN-PACKAGE): a library that nothing works without.
AC_DEFUN([SLX_NEED], [
AC_REQUIRE([PKG_PROG_PKG_CONFIG])dnl
AS_IF([test -z "$PKG_CONFIG"], [AC_MSG_ERROR([pkg-config is missing: install pkgconf])])
PKG_CHECK_MODULES([$1], [$2], [], [AC_MSG_ERROR([$2 is missing: install $3])])
])

dnl SLX_WANT(PREFIX, MODULE, DEBIAN-PACKAGE, CONSEQUENCE): a library that something optional needs. Sets
dnl have_prefix, defines HAVE_PREFIX in config.h, and makes the automake conditional HAVE_PREFIX.
AC_DEFUN([SLX_WANT], [
AS_VAR_PUSHDEF([have], [have_]m4_tolower([$1]))dnl
PKG_CHECK_MODULES([$1], [$2],
	[have=yes
	AC_DEFINE([HAVE_$1], [1], [Whether there is $2.])],
	[have=no
	AC_MSG_WARN([$2 is missing, so $4: install $3])])
AM_CONDITIONAL([HAVE_$1], [test "$have" = yes])
AS_VAR_POPDEF([have])dnl
])

dnl SLX_MAY(PREFIX, NAME, MODULE, DEBIAN-PACKAGE, CONSEQUENCE): a library whose headers alone are used, since the program loads it
dnl itself; --without-NAME leaves it out. Sets have_prefix, and defines HAVE_PREFIX in config.h.
AC_DEFUN([SLX_MAY], [
AS_VAR_PUSHDEF([have], [have_]m4_tolower([$1]))dnl
AC_ARG_WITH([$2],
	[AS_HELP_STRING([--without-$2], [leave out $2, so $5])],
	[], [AS_VAR_SET([with_$2], [check])])
AS_IF([test "$with_$2" = no], [have=no],
	[PKG_CHECK_MODULES([$1], [$3], [have=yes],
		[have=no
		AS_IF([test "$with_$2" = check],
			[AC_MSG_WARN([$3 is missing, so $5: install $4])],
			[AC_MSG_ERROR([$3 is missing: install $4])])])])
AS_IF([test "$have" = yes], [AC_DEFINE([HAVE_$1], [1], [Whether there are the headers of $3.])])
AS_VAR_POPDEF([have])dnl
])

dnl SLX_NEED_PLAIN(PREFIX, HEADER, LIBRARY, FUNCTION, DEBIAN-PACKAGE): the same for a library that pkg-config does not
dnl know. Sets PREFIX_LIBS.
AC_DEFUN([SLX_NEED_PLAIN], [
AC_CHECK_HEADER([$2], [], [AC_MSG_ERROR([$2 is missing: install $5])])
AC_CHECK_LIB([$3], [$4], [$1_LIBS=-l$3], [AC_MSG_ERROR([lib$3 is missing: install $5])])
AC_SUBST([$1_LIBS])
])

dnl SLX_FLAGS(VARIABLE, FLAGS): collects in VARIABLE the flags that the compiler takes without a word.
AC_DEFUN([SLX_FLAGS], [
$1=
slx_save_cflags=$CFLAGS
for slx_flag in m4_normalize([$2]); do
	AC_MSG_CHECKING([whether $CC takes $slx_flag])
	CFLAGS="-Werror $slx_flag"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
		[AC_MSG_RESULT([yes])
		AS_VAR_APPEND([$1], [" $slx_flag"])],
		[AC_MSG_RESULT([no])])
done
CFLAGS=$slx_save_cflags
AC_SUBST([$1])
])
