// What installing and removing a package does, as scripts of dpkg and rpm: the sampler becomes root's, for the members of its
// group alone, with the capabilities that the kernel wants (docs/security.md).
import { DOCUMENTS } from './contents.mjs';

const GROUP = 'lineheat';
const SAMPLER = '/usr/libexec/lineheat/lineheat-sampler';
const SUMMARY = 'CPU profiler for the source lines of native programs';
const DESCRIPTION = `Records where a program in C, C++, Rust, OCaml or Go spends its CPU time,
with an eBPF sampler, and shows it on source lines, as functions, call
paths and comparisons of two runs. Runs are pprof files.`;

/** Since perf_event_paranoid 3, a patch of Debian and Ubuntu, the kernel wants more. */
const giveRights = `
rights=cap_bpf,cap_perfmon
if [ "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 2)" -ge 3 ]; then
	rights=$rights,cap_sys_admin
fi
setcap "$rights=ep" ${SAMPLER} ||
	echo "lineheat: setcap failed: only root can record kernel time until 'lineheat doctor --install' succeeds" >&2
`;
const makeGroup = `getent group ${GROUP} >/dev/null || groupadd --system ${GROUP}`;
const removeGroup = `if getent group ${GROUP} >/dev/null; then groupdel ${GROUP}; fi`;

/** The files of DEBIAN/ by name. */
export function debFiles({ version, architecture }) {
  const indented = DESCRIPTION.replaceAll(/^/gm, ' ');
  return {
    control: `Package: lineheat
Version: ${version}
Architecture: ${architecture}
Maintainer: The Lineheat developers <lineheat@users.noreply.invalid>
Section: devel
Priority: optional
Depends: libcap2-bin, passwd
Description: ${SUMMARY}
${indented}
`,
    // An administrator's own choice of owner and mode (dpkg-statoverride) stays.
    postinst: `#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
${makeGroup}
if ! dpkg-statoverride --list ${SAMPLER} >/dev/null; then
	chown root:${GROUP} ${SAMPLER}
	chmod 0750 ${SAMPLER}
fi
${giveRights.trim()}
`,
    postrm: `#!/bin/sh
set -e
[ "$1" = purge ] || exit 0
${removeGroup}
`,
  };
}

/** For rpmbuild, with the folder to be packed as its build root. */
export function rpmSpec({ version, layout }) {
  const listed = [layout.engine, layout.preloaded, layout.bash, layout.zsh, layout.fish, layout.manual('*')].map(
    (name) => `/${name}`,
  );
  return `Name: lineheat
Version: ${version}
Release: 1
Summary: ${SUMMARY}
License: MIT
AutoReqProv: no
Requires: libcap
Requires(pre): shadow-utils
%define __os_install_post %{nil}
%define _build_id_links none
%define _binary_payload w7.xzdio
%define use_source_date_epoch_as_buildtime 1

%description
${DESCRIPTION}

%pre
${makeGroup}

%post
${giveRights.trim()}

%postun
if [ "$1" = 0 ]; then
	${removeGroup}
fi

%files
%defattr(-, root, root, 0755)
${listed.join('\n')}
%dir /usr/libexec/lineheat
%attr(0750, root, ${GROUP}) ${SAMPLER}
/${DOCUMENTS}
`;
}
