#!/bin/sh
# Eight simulated nodes of a real Slurm on this machine: srun runs the probe on all nodes, and compare names the node whose huge
# pages are off. Another program disturbs the probe of one more node: compare does not call this node different. Requires SLEXPLORE, the program, and from Debian the packages slurm-wlm and munge; skips (77) without them or
# without root. Each node has its own host name. The nodes share this machine, so they measure one after another.
#
#   slurm.sh            from a build directory: make check-slurm
set -u

: "${SLEXPLORE:?the path of the program}"
case $SLEXPLORE in /*) ;; *) SLEXPLORE=$PWD/$SLEXPLORE ;; esac
PATH=$PATH:/usr/sbin:/sbin
nodes=8 slow=n5 disturbed=n2

skip() {
	echo "skipped: $*"
	exit 77
}

for tool in slurmctld slurmd srun munged unshare flock perl; do
	command -v $tool >/dev/null || skip "$tool is not installed (Debian: slurm-wlm munge)"
done
[ "$(id -u)" = 0 ] || skip "slurmd and host names of nodes require root"
! grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null ||
	skip "huge pages are off on this system, so all nodes would be equal"
unshare --uts true 2>/dev/null || skip "this system does not allow a node its own host name (unshare --uts)"

work=$(mktemp -d) || exit 1
chmod 755 "$work"
# Ends the daemons that this script started, by their process ids.
clean() {
	processes=$(cat "$work"/*.pid 2>/dev/null)
	# shellcheck disable=SC2086 # several numbers
	kill $processes 2>/dev/null
	# The daemons write their state before they end.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		ended=yes
		for process in $processes; do
			kill -0 "$process" 2>/dev/null && ended=
		done
		[ -z "$ended" ] || break
		sleep 0.2
	done
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

# What this script needs from the system is not there.
unavailable() {
	tail -n 15 "$work"/*.log >&2
	skip "$*"
}

fail() {
	echo "FAIL: $*" >&2
	tail -n 15 "$work"/*.log >&2
	exit 1
}

# ---- munge, the controller, and the nodes

mkdir -m 700 "$work/munge"
dd if=/dev/urandom of="$work/munge/key" bs=1 count=1024 2>/dev/null
chmod 400 "$work/munge/key"
munged --force --socket="$work/munge.socket" --key-file="$work/munge/key" --pid-file="$work/munge.pid" \
	--log-file="$work/munge.log" --seed-file="$work/munge.seed" || unavailable "munged does not start"

port=$((20000 + $$ % 20000))
cat >"$work/slurm.conf" <<EOF
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
ReturnToService=2
SlurmctldPort=$port
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmdParameters=config_overrides
NodeName=n[1-$nodes] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=$(nproc) RealMemory=200
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
EOF
mkdir "$work/state"
SLURM_CONF=$work/slurm.conf
export SLURM_CONF
slurmctld || unavailable "slurmctld does not start"
# A daemon that is started with huge pages off (prctl PR_SET_THP_DISABLE) passes this setting on to its jobs.
case $(uname -m) in x86_64) prctl=157 ;; *) prctl=167 ;; esac
for i in $(seq $nodes); do
	mkdir "$work/spool-n$i"
	if [ "n$i" = "$slow" ]; then
		perl -e 'syscall('$prctl', 41, 1, 0, 0, 0) == 0 or die; exec @ARGV' \
			unshare --uts sh -c "hostname n$i && exec slurmd -N n$i" || unavailable "slurmd of n$i does not start"
	else
		unshare --uts sh -c "hostname n$i && exec slurmd -N n$i" || unavailable "slurmd of n$i does not start"
	fi
done
tries=0
until [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = "$nodes" ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 100 ] || unavailable "the nodes do not start: $(sinfo 2>&1 | tail -n 3)"
	sleep 0.2
done

# ---- the run

begin=$(date +%s)
# The lock keeps the lines of one node together, because compare cannot use lines that are torn.
cat >"$work/job" <<EOF
if [ "\$(hostname)" = $disturbed ]; then
	for cpu in $(seq -s ' ' 0 $(($(nproc) - 1))); do
		timeout 0.5 taskset -c \$cpu sh -c 'while :; do :; done' &
	done
fi
exec '$SLEXPLORE' probe latency tlb --max-size 32m --quiet --time-budget 3 --format json
EOF
srun --mpi=none -N $nodes -n $nodes flock "$work/lock" sh "$work/job" \
	>"$work/probes" 2>"$work/srun.log" || fail "srun: $(head -n 3 "$work/srun.log")"
"$SLEXPLORE" compare - --format json <"$work/probes" >"$work/compared" 2>"$work/compare.log" || fail "compare fails"
"$SLEXPLORE" compare - <"$work/probes" 2>/dev/null | head -n 20
seconds=$(($(date +%s) - begin))

hosts=$(grep -o '"hosts":[0-9]*' "$work/compared" | head -n 1)
[ "$hosts" = '"hosts":8' ] || fail "not all nodes have measured: $hosts"
grep -q '"record":"comparison".*"cut":0.*"homeless":0' "$work/compared" || fail "lines of nodes are lost: $(head -n 1 "$work/compared")"
grep '"record":"odd"' "$work/compared" | grep -q '"host":"n5".*"pages"' || fail "the node with huge pages off is not named"
odd=$(grep '"record":"odd"' "$work/compared")
! echo "$odd" | grep "\"host\":\"$disturbed\"" | grep -qv '"disturbed"' || fail "the disturbed node is called different"
# Prints the other nodes whose records match a pattern.
others() {
	echo "$odd" | grep "$@" '"disturbed"' | grep -o '"host":"n[0-9]"' | grep -o 'n[0-9]' | sort -u | grep -v $slow | tr '\n' ' '
}
echo "$nodes nodes: $slow is named, with its cause; other nodes named: $(others -v); to measure again: $(others); $seconds s"
