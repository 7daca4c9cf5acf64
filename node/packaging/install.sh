#!/bin/sh
# Installs Dunlin from the folder in which this script stands. The folder works where it is, too: bin/dunlin
# finds the rest.
#
#   ./install.sh [--prefix FOLDER]           default: /usr/local for root, else ~/.local
#   ./install.sh --remove [--prefix FOLDER]  takes away what was installed there, and nothing else
#
# As root it installs units for systemd as well; what is to be done then stands at its end. It makes no key.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ "$(id -u)" -eq 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
remove=
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) prefix=${2:?install.sh: --prefix needs a folder}; shift 2 ;;
    --prefix=*) prefix=${1#--prefix=}; shift ;;
    --remove) remove=yes; shift ;;
    *) sed -n '2,8p' "$0" | sed 's/^# \{0,1\}//' >&2; exit 2 ;;
  esac
done
case $prefix in
  /*) ;;
  *) echo "install.sh: --prefix $prefix must be a whole path, from /" >&2; exit 2 ;;
esac
list=$prefix/lib/dunlin/installed

if [ -n "$remove" ]; then
  [ -f "$list" ] || { echo "install.sh: nothing was installed in $prefix ($list is not there)" >&2; exit 1; }
  # Files first, then folders that they leave empty, the deepest first.
  sed 's|^\./||' "$list" | while IFS= read -r file; do rm -f "$prefix/$file"; done
  rm -f "$list"
  sed 's|^\./||' "$here/files" | while IFS= read -r file; do
    folder=$(dirname "$file")
    while [ "$folder" != . ]; do echo "$folder"; folder=$(dirname "$folder"); done
  done | sort -ru | while IFS= read -r folder; do rmdir "$prefix/$folder" 2>/dev/null || true; done
  rmdir "$prefix" 2>/dev/null || true
  echo "removed from $prefix; data and keys stay where they are"
  exit 0
fi

# The loader's own words for a C library that is too old name a symbol, which helps nobody.
"$here/bin/dunlin" version >/dev/null || {
  echo "install.sh: the programs do not run here: they need glibc 2.35 and this machine's kind of processor" >&2
  exit 1
}
mkdir -p "$prefix/lib/dunlin"
units=
if [ "$(id -u)" -eq 0 ] && [ -d /run/systemd/system ]; then units=yes; fi
: >"$list.new"
while IFS= read -r file; do
  case $file in
    ./lib/systemd/* | ./lib/sysusers.d/*) [ -n "$units" ] || continue ;;
  esac
  mkdir -p "$prefix/$(dirname "$file")"
  # A program that runs keeps its file: the new one takes its name.
  cp -P "$here/$file" "$prefix/$file.new"
  case $file in
    ./lib/systemd/*)
      sed "s|=/usr/bin/|=$prefix/bin/|; s|=/usr/lib/dunlin/|=$prefix/lib/dunlin/|" "$here/$file" >"$prefix/$file.new" ;;
  esac
  mv -f "$prefix/$file.new" "$prefix/$file"
  echo "$file" >>"$list.new"
done <"$here/files"
mv -f "$list.new" "$list"
echo "installed in $prefix"
case :$PATH: in
  *:"$prefix/bin":*) ;;
  *) echo "put it into PATH: export PATH=$prefix/bin:\$PATH" ;;
esac
if [ -n "$units" ]; then
  cat <<'TEXT'
next: systemctl daemon-reload && systemd-sysusers
      dunlin keygen          (or copy the cluster's key to /etc/dunlin/cluster.key)
      systemctl enable --now dunlin
TEXT
fi
