#!/bin/sh
# Prints the version: from the file .tarball-version of a release, or from git.
cd "$(dirname "$0")" || exit 1
base=0.1.0
if [ -r .tarball-version ]; then
	version=$(cat .tarball-version)
elif version=$(git describe --match 'v[0-9]*' 2>/dev/null); then
	version=${version#v}
elif [ -e .git ] && commit=$(git rev-parse --short=8 HEAD 2>/dev/null); then
	version=$base-$(git rev-list --count HEAD)-g$commit
else
	version=$base
fi
printf '%s' "$version"
