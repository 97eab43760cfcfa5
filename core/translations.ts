// How the host hands its translations to the page: as JSON in a <meta> of the page, which no content policy stops.

/** Name of the <meta> whose content is the bundle of translations. */
export const TRANSLATIONS_META = 'lineheat-translations';
