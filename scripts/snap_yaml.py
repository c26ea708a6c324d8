#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""snap_yaml.py SNAPCRAFT.YAML VERSION PRIME ARCHITECTURE: checks the file, and writes PRIME/meta from it.

What snapcraft would do with it, as far as `snap pack` looks at it. Faults go to standard error, and the status is 1.
"""
import os
import re
import shutil
import sys

import yaml

KNOWN = {"name", "base", "adopt-info", "title", "summary", "description", "license", "website", "source-code", "issues",
         "contact", "icon", "grade", "confinement", "compression", "platforms", "apps", "lint", "parts"}
REQUIRED = KNOWN - {"lint", "compression"}
PLATFORMS = {"amd64", "arm64", "armhf", "ppc64el", "riscv64", "s390x"}
AUTOMATIC = {"home", "network-bind"}  # plugs that snapd connects by itself
APP_KEYS = {"command", "completer", "desktop", "environment", "plugs"}


def faults_of(project, prime):
    """Yields what is wrong with it, one sentence each."""
    for key in sorted(set(project) - KNOWN):
        yield f"{key}: no such key is known here"
    for key in sorted(REQUIRED - set(project)):
        yield f"{key} is missing"
    for key, allowed in (("base", {"core24"}), ("confinement", {"strict"}), ("grade", {"stable", "devel"}),
                         ("compression", {"lzo", "xz"})):
        if project.get(key) not in allowed:
            yield f"{key} is {project.get(key)}, not one of: {', '.join(sorted(allowed))}"
    for platform in sorted(set(project.get("platforms", {})) - PLATFORMS):
        yield f"platforms: {platform} is unknown"
    if project.get("adopt-info") not in project.get("parts", {}):
        yield "adopt-info names no part"
    if "craftctl set version" not in str(project.get("parts")):
        yield "no part sets the version"
    if len(project.get("summary", "")) > 78:
        yield "the summary is longer than 78 characters"
    for name, app in project.get("apps", {}).items():
        for key in sorted(set(app) - APP_KEYS):
            yield f"{name}: {key}: no such key is known here"
        for key in ("completer", "desktop"):
            if key in app and not os.path.isfile(os.path.join(prime, app[key])):
                yield f"{name}: {key} {app[key]} is not installed"
        for plug in set(app.get("plugs", [])) - AUTOMATIC:
            if not re.search(rf"^ *sudo snap connect {project['name']}:{plug}$", project["description"], re.MULTILINE):
                yield f"the description does not say how to connect {plug}"
    for line in re.findall(r"snap connect \S+:(\S+)", project.get("description", "")):
        if not any(line in app.get("plugs", []) for app in project["apps"].values()):
            yield f"the description connects {line}, which is no plug"


def meta_of(project, version, architecture):
    """What snapcraft puts into meta/snap.yaml."""
    meta = {key: project[key] for key in ("name", "title", "summary", "description", "license", "base", "grade",
                                          "confinement")}
    meta["version"] = version
    meta["architectures"] = [architecture]
    meta["apps"] = {name: {key: value for key, value in app.items() if key != "desktop"}
                    for name, app in project["apps"].items()}
    return meta


def told_plugs(top):
    """The plugs that the program itself tells people to connect."""
    with open(os.path.join(top, "src", "topic", "topics.c"), encoding="utf-8") as file:
        return set(re.findall(r'CONNECT\("([^"]+)"\)', file.read()))


def main():
    path, version, prime, architecture = sys.argv[1:]
    top = os.path.join(os.path.dirname(path), "..")
    with open(path, encoding="utf-8") as file:
        project = yaml.safe_load(file)
    icon = os.path.join(top, project.get("icon", "none"))
    faults = list(faults_of(project, prime))
    plugs = {plug for app in project.get("apps", {}).values() for plug in app.get("plugs", [])} - AUTOMATIC
    if told_plugs(top) != plugs:
        faults.append(f"the plugs differ from those of src/topic/topics.c: {sorted(told_plugs(top) ^ plugs)}")
    if not os.path.isfile(icon):
        faults.append(f"icon {project.get('icon')} is not there")
    for fault in faults:
        print(f"{path}: {fault}", file=sys.stderr)
    if faults:
        sys.exit(1)
    os.makedirs(os.path.join(prime, "meta", "gui"))
    shutil.copy(icon, os.path.join(prime, "meta", "gui", "icon.svg"))
    with open(os.path.join(prime, "meta", "snap.yaml"), "w", encoding="utf-8") as file:
        yaml.safe_dump(meta_of(project, version, architecture), file, sort_keys=False, allow_unicode=True)


main()
