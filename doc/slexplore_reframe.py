# A check for ReFrame (https://reframe-hpc.readthedocs.io): every node of a partition runs the probe, and
# `slexplore compare` names the nodes that differ from the others. The check fails if a value differs by more than
# 5 %, or if a node is odd by its processor.
#
#   reframe -c slexplore_reframe.py -r -S num_nodes=16
import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class slexplore_fleet(rfm.RunOnlyRegressionTest):
    descr = 'Nodes whose caches, memory or clock differ from their neighbours'
    valid_systems = ['*']
    valid_prog_environs = ['*']
    num_nodes = variable(int, value=8)
    fail_over = variable(str, value='5%')
    executable = 'slexplore'
    executable_opts = ['probe', '--quiet', '--format', 'json', '>', 'probes.jsonl']
    num_tasks_per_node = 1
    exclusive_access = True
    time_limit = '5m'

    @run_before('run')
    def set_tasks(self):
        self.num_tasks = self.num_nodes * self.num_tasks_per_node
        self.postrun_cmds = [
            f'slexplore compare - --fail-over {self.fail_over} < probes.jsonl; echo "compare: $?"'
        ]

    @sanity_function
    def nodes_are_alike(self):
        return sn.assert_found(r'^compare: 0$', self.stdout)

    @performance_function('nodes')
    def differing_nodes(self):
        return sn.extractsingle(r': (\d+) differ', self.stdout, 1, int) if sn.evaluate(
            sn.count(sn.findall(r': \d+ differ', self.stdout))) else 0
