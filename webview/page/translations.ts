// The user's language on the page. The host writes the translations into the page, so that they are there before any other
// module of the page runs: panel.ts imports this one first.
import * as l10n from '@vscode/l10n';
import { TRANSLATIONS_META } from '../../core/translations.ts';

const contents = document.querySelector<HTMLMetaElement>(`meta[name="${TRANSLATIONS_META}"]`)?.content;
if (contents) l10n.config({ contents });
