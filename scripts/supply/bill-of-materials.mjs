// The bill of materials that is shipped with the extension, as CycloneDX 1.6, and checksums of what is shipped.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The same components always give the same text: no time, no serial number. `version` is the extension's. */
export function billOfMaterials(components, version) {
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name: 'lineheat', version, licenses: [{ license: { id: 'MIT' } }] } },
    components: components.map((component) => ({
      type: 'library',
      name: component.name,
      version: component.version,
      purl: purl(component),
      licenses: [{ expression: component.licence }],
    })),
  };
  return `${JSON.stringify(bill, null, 1)}\n`;
}

/** As the purl specification has it for packages of cargo, deb and npm. */
function purl({ kind, name, version, distribution }) {
  const full = distribution ? `${distribution}/${name}` : name;
  return `pkg:${kind}/${encodeURIComponent(full).replace('%2F', '/')}@${version.replaceAll(':', '%3A')}`;
}

/** As sha256sum prints them. */
export const checksums = (files) =>
  files
    .map((file) => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${path.basename(file)}\n`)
    .join('');
