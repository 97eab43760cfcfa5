// npm run l10n: writes l10n/bundle.l10n.json, the English texts of extension and page for translators.
import { mkdirSync, writeFileSync } from 'node:fs';
import { bundleFile, exportedTexts } from './checks/localized-texts.mjs';
import { inRoot } from './steps/paths.mjs';
import { isMain, main } from './steps/report.mjs';

async function writeBundle() {
  mkdirSync(inRoot('l10n'), { recursive: true });
  const text = await exportedTexts();
  writeFileSync(inRoot(bundleFile), text);
  console.log(`${bundleFile} has ${Object.keys(JSON.parse(text)).length} texts.`);
}

if (isMain(import.meta)) main(writeBundle);
