# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of panetop(1) for fish. Topics and columns are those that the program itself describes.

function __panetop_describe # ARGUMENT...
    set -l tokens (commandline -opc)
    LC_ALL=C $tokens[1] --describe $argv 2>/dev/null
end

function __panetop_topics
    __panetop_describe | string replace -rf '^([a-z0-9_]+): (.*)' '$1\t$2'
end

# Of the topic of --table, else of the first topic of the pane, else of the first pane.
function __panetop_columns # [TOPIC]
    set -l subject memory
    set -l tokens (commandline -opc)
    set -e tokens[1]
    while set -q tokens[1]
        switch $tokens[1]
            case -t --table
                set argv $argv $tokens[2]
            case '-t*'
                set argv $argv (string sub -s 3 -- $tokens[1])
            case '--table=*'
                set argv $argv (string sub -s 9 -- $tokens[1])
            case memory events cpu pages power latency
                test $subject = memory; and set subject $tokens[1]
        end
        set -e tokens[1]
    end
    set -q argv[1]; and set subject --table=$argv[1]
    for line in (__panetop_describe $subject)
        test -z "$line"; and break # of a pane the first topic
        string replace -rf '^  ([a-z0-9_]+) +[a-z]+ +[a-z_]+ +(.*)' '$1\t$2' -- $line
    end
end

# What stands before the last comma is kept, and another word may follow.
function __panetop_list # COMMAND ARGUMENT...
    set -l before (string match -r '.*,' -- (commandline -ct | string replace -r '^--[a-z-]+=' ''))
    for word in ($argv)
        echo "$before$word" # quoted: also when there is nothing before
    end
end

function __panetop_sort
    __panetop_columns
    __panetop_columns | string replace -r '^' +
end

function __panetop_processes
    set -l found (grep -sH . /proc/*/comm)
    string replace -rf '^/proc/(\d+)/comm:(.*)' '$1\t$2' -- $found
    string replace -rf '^/proc/\d+/comm:(.*)' '$1' -- $found | sort -u
end

function __panetop_events
    printf '%s\n' fork\t'a process is made' exec\t'it becomes another program' exit\t'it ends' \
        exitnonzero\t'it ends with a code that is not 0, or by a signal' core\t'it dumps its memory' \
        comm\t'it changes its name' clone\t'a thread begins or ends' \
        ptrace\t'it begins or ends to trace another' uid\t'it changes its user or group' \
        sid\t'it starts a session' all\t'all of these'
end

function __panetop_cgroups
    cat /proc/*/cgroup 2>/dev/null | string replace -r '^[^:]*:[^:]*:' '' | sort -u
end

# A command behind "--" is completed as if it stood alone.
function __panetop_has_command
    contains -- -- (commandline -opc)
end

function __panetop_command
    set -l tokens (commandline -opc)
    set -l first (math (contains -i -- -- $tokens) + 1)
    complete -C (string join ' ' -- (string escape -- $tokens[$first..-1]) (commandline -ct))
end

complete -c panetop -f
complete -c panetop -n __panetop_has_command -a '(__panetop_command)'
complete -c panetop -n 'not __panetop_has_command' -a memory -d 'Is there enough memory?'
complete -c panetop -n 'not __panetop_has_command' -a events -d 'Who starts what, and what ends how?'
complete -c panetop -n 'not __panetop_has_command' -a cpu -d 'Who uses the processors?'
complete -c panetop -n 'not __panetop_has_command' -a pages -d 'Where is the memory of this process?'
complete -c panetop -n 'not __panetop_has_command' -a power -d 'What does the machine draw, and what heats it?'
complete -c panetop -n 'not __panetop_has_command' -a latency -d 'How late does this machine wake a program up?'

complete -c panetop -s b -l batch -d 'No screen; samples go to standard output'
complete -c panetop -s o -l output -xa 'text csv json openmetrics' -d 'Format of the output'
complete -c panetop -s d -l delay -x -d 'Time between samples'
complete -c panetop -s n -l count -x -d 'Stop after so many samples'
complete -c panetop -s p -l pid -xa '(__panetop_list __panetop_processes)' -d 'Only these processes'
complete -c panetop -s u -l user -xa '(__panetop_list __fish_complete_users)' -d 'Only processes of these users'
complete -c panetop -s f -l filter -x -d 'Only rows in which some text matches'
complete -c panetop -s s -l sort -xa '(__panetop_sort)' -d 'Largest of this column first; + smallest first'
complete -c panetop -s c -l columns -xa '(__panetop_list __panetop_columns)' -d 'Columns to show'
complete -c panetop -s t -l table -xa '(__panetop_topics)' -d 'Print only this table'
complete -c panetop -s l -l limit -x -d 'At most so many rows of each table'
complete -c panetop -l unit -xa 'auto B KiB MiB GiB percent' -d 'Unit of sizes'
complete -c panetop -l root -xa '(__fish_complete_directories)' -d 'Read proc and sys of this directory'
complete -c panetop -l record -rF -d 'Write a recording'
complete -c panetop -l replay -rF -d 'Show a recording'
complete -c panetop -l assert -xa '(__panetop_list __panetop_columns latency)' -d 'Exit with 3 unless these hold'
complete -c panetop -l read-only -d 'Change nothing on the machine'
complete -c panetop -l describe -d 'List every topic and column'
complete -c panetop -l probe -d 'Tell what each source gives here'
complete -c panetop -l color -xa 'auto always never' -d 'Use colours'
complete -c panetop -l ascii -d 'Draw no character outside ASCII'
complete -c panetop -s h -l help -d 'Show a summary of the options'
complete -c panetop -s V -l version -d 'Show the version'

complete -c panetop -l used -xa 'total-free procps htop' -d 'memory: what is called used'

complete -c panetop -l events -xa '(__panetop_list __panetop_events)' -d 'events: only these kinds'
complete -c panetop -l group -xa '(__fish_complete_pids)' -d 'events: only this process group'
complete -c panetop -l tree -xa '(__fish_complete_pids)' -d 'events: only this process and its descendants'
complete -c panetop -l cgroup -xa '(__panetop_cgroups)' -d 'events: only this control group and those below'
complete -c panetop -l statistics -d 'events: sums at the end'
complete -c panetop -l real-time -d 'events: the reader runs before all normal processes'

complete -c panetop -l idle -d 'cpu: processes that used nothing, too'
complete -c panetop -l threads -d 'cpu: what each thread used'
complete -c panetop -l threshold -x -d 'cpu: only processes that used so much of a CPU'
complete -c panetop -l per-machine -d 'cpu: 100 % is the whole machine'
complete -c panetop -l distribution -d 'cpu: how many processes use how much'
complete -c panetop -l totals -d 'cpu: mean use of every process over the whole run'
complete -c panetop -l hide-self -d 'cpu: leave panetop itself out'
complete -c panetop -l perf -xa auto -d 'cpu: count these events'
complete -c panetop -l calibration -rF -d 'cpu: watts of each process, by this calibration'

complete -c panetop -l cells -x -d 'pages: the map in at most so many cells'
complete -c panetop -l from -x -d 'pages: the map from this address on'
complete -c panetop -l to -x -d 'pages: the map below this address'
complete -c panetop -l shares -d 'pages: proportional shares of memory'

complete -c panetop -l settle -xa auto -d 'power: wait before the first sample'
complete -c panetop -l idle-least -x -d 'power: take samples again in which the CPUs were less idle'
complete -c panetop -l calibrate -d 'power: measure what CPU load costs in watts'
complete -c panetop -l per-count -d 'power: calibrate with 1, 2 and more CPUs loaded'
complete -c panetop -l step-seconds -x -d 'power: how long each step of a calibration lasts'
complete -c panetop -l cycles -x -d 'power: event that a calibration counts as cycles'
complete -c panetop -l instructions -x -d 'power: event that a calibration counts as instructions'
complete -c panetop -l no-forks -d 'power: take samples again in which processes were started'

complete -c panetop -l period -x -d 'latency: time between wake-ups'
complete -c panetop -l policy -xa 'fifo rr deadline other' -d 'latency: scheduling of the threads'
complete -c panetop -l priority -x -d 'latency: priority of fifo and rr'
complete -c panetop -l method -xa 'clock_ns posix_ns itimer poll timerfd' -d 'latency: how the threads wait'
complete -c panetop -l cpus -x -d 'latency: only on these CPUs'
complete -c panetop -l slack -x -d 'latency: timer slack of the policy other'
complete -c panetop -l bucket -x -d 'latency: the distribution in buckets of this width'
complete -c panetop -l duration -x -d 'latency: stop measuring after so long'
complete -c panetop -l samples -x -d 'latency: stop measuring after so many wake-ups'
complete -c panetop -l cpu-dma-latency -d 'latency: hold the CPUs out of idle states'
