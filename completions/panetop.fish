# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of panetop(1) for fish. Panes, options and values come from panetop --help, topics and columns from --describe.

# Further lines of a help text are joined to its option.
function __panetop_help # PROGRAM
    LC_ALL=C $argv[1] --help 2>/dev/null | sed -E ':join; N; s/\n {20,}/ /; t join; P; D'
end

# A pane and a tab and its question per line.
function __panetop_panes # PROGRAM
    __panetop_help $argv[1] | sed -nE '/^Panes/,/^$/s/^  ([a-z]+) +(.*)/\1\t\2/p'
end

function __panetop_describe # ARGUMENT...
    set -l tokens (commandline -opc)
    LC_ALL=C $tokens[1] --describe $argv 2>/dev/null
end

function __panetop_topics
    __panetop_describe | string replace -rf '^([a-z0-9_]+): (.*)' '$1\t$2'
end

# The columns of the topic of --table, else of the first topic of the first named pane, else of the first pane.
function __panetop_columns # [TOPIC]
    set -l tokens (commandline -opc)
    set -l panes (__panetop_panes $tokens[1] | string replace -r '\t.*' '')
    set -l subject
    set -e tokens[1]
    while set -q tokens[1]
        switch $tokens[1]
            case -t --table
                set argv $argv $tokens[2]
            case '-t*'
                set argv $argv (string sub -s 3 -- $tokens[1])
            case '--table=*'
                set argv $argv (string sub -s 9 -- $tokens[1])
            case $panes
                set -q subject[1]; or set subject $tokens[1]
        end
        set -e tokens[1]
    end
    set -q subject[1]; or set subject $panes[1]
    set -q argv[1]; and set subject --table=$argv[1]
    for line in (__panetop_describe $subject)
        test -z "$line"; and break # the first topic of a pane
        string replace -rf '^  ([a-z0-9_]+) +[a-z]+ +[a-z_]+ +(.*)' '$1\t$2' -- $line
    end
end

# Keeps what stands before the last comma; another word may follow.
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
    set -l found (LC_ALL=C grep -asH . /proc/*/comm)
    string replace -rf '^/proc/(\d+)/comm:(.*)' '$1\t$2' -- $found
    string replace -rf '^/proc/\d+/comm:(.*)' '$1' -- $found | sort -u
end

function __panetop_cgroups
    cat /proc/*/cgroup 2>/dev/null | string replace -r '^[^:]*:[^:]*:' '' | sort -u
end

# What may follow in a SPEC: a tracepoint, and behind it fields and words. Nothing without the rights to read tracepoints.
function __panetop_trace
    set -l tokens (commandline -opc)
    set -l spec (commandline -ct | string replace -r '^--trace=' '' | string replace -r '^["\']' '')
    set -l list (LC_ALL=C $tokens[1] -n 1 -t tracepoint -c tracepoint,numbers,texts -o csv 2>/dev/null | string trim -c \r | string replace -rf '^[^,]*,(.*:)' '$1')
    if not string match -q '* *' -- $spec
        string replace -r ',.*' '' -- $list
        return
    end
    set -l name (string split -m 1 ' ' -- $spec)[1]
    set -l words by 'sum(' 'max(' 'hist(' if and
    set -l before (string match -r '.*[ ,(]' -- $spec)
    string match -q -r '([,(]| by | if | and )$' -- $before
    and set words comm pid tid cpu cgroup (string match -r -- "^$name,.*" $list | string replace -r '^[^,]*,' '' | string split -n , | string split -n ' ')
    printf '%s\n' $before$words
end

# Completes a command after "--" as if it stood alone.
function __panetop_has_command
    contains -- -- (commandline -opc)
end

function __panetop_command
    set -l tokens (commandline -opc)
    set -l first (math (contains -i -- -- $tokens) + 1)
    complete -C (string join ' ' -- (string escape -- $tokens[$first..-1]) (commandline -ct))
end

function __panetop_words # VALUES|PLACEHOLDER
    switch $argv[1]
        case TOPIC 'CONDITION*'
            __panetop_topics
        case '[+]COLUMN'
            __panetop_sort
        case 'COLUMN*'
            __panetop_columns
        case 'PID|NAME*'
            __panetop_processes
        case 'NAME|UID*'
            __fish_complete_users
        case SCOPE
            printf '%s=\n' pid tree user cgroup service container
        case PID PGID
            __fish_complete_pids
        case CGROUP
            __panetop_cgroups
        case SPEC
            __panetop_trace
        case DIR
            __fish_complete_directories
        case '*' # the values themselves, in lower case
            string match -q -r '^[a-z]' -- $argv[1]
            and string replace '[,...]' '' -- $argv[1] | string split '|' | string split , | string match -v -r '^[A-Z]{2,}$'
    end
end

function __panetop_value # VALUES|PLACEHOLDER
    string match -q '*,*' -- $argv[1]
    and __panetop_list __panetop_words $argv[1]
    or __panetop_words $argv[1]
end

complete -c panetop -f
complete -c panetop -n __panetop_has_command -a '(__panetop_command)'
complete -c panetop -n 'not __panetop_has_command' -a '(__panetop_panes panetop)'

function __panetop_add_options
    set -l pane
    for line in (__panetop_help panetop)
        string match -q -r '^Options of the pane (?<name>[a-z]+):' -- $line
        and set pane "$name: "
        string match -q -r '^ +(?:-(?<letter>\w), )? *--(?<option>[a-z-]+)(?:=(?<value>\S+))? *(?<text>.*)' -- $line
        or continue
        set -l arguments -l $option -d "$pane$text"
        test -n "$letter"; and set -a arguments -s $letter
        switch "$value"
            case ''
            case FILE
                set -a arguments -rF
            case '*'
                set -a arguments -xa "(__panetop_value '$value')"
        end
        complete -c panetop $arguments
    end
end
__panetop_add_options
