// What the pages say, in the language of the page, and what the API's codes mean to a person. `field`, `reason` and `code` are the
// API's own (specification 7).

const language = document.documentElement.lang
/** The messages of the scripts (`src/messages/browser/`). */
export const { says } = await import(`./messages-${language}.js`)

/** A sentence with its values. */
export function fill(message, values) {
  return message.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place)
}

/** The words for an empty or unfinished field. */
export function wordsForField(name) {
  return says.fields[name] ?? says.anyField
}

/** A day, as people write it in the language of the page. */
export function dayOf(iso) {
  // biome-ignore lint/style/noRestrictedGlobals: a given time, in the time zone of the browser.
  return new Intl.DateTimeFormat(language, { dateStyle: 'long' }).format(new Date(iso))
}

/** A time that is over, such as "5 minutes ago". */
export function minutesAgo(minutes) {
  return new Intl.RelativeTimeFormat(language).format(-minutes, 'minute')
}

/**
 * The sentences about a refusal: one for each wrong field, or else one for the whole form.
 * @param {object} words the form's own sentences by code
 */
export function explain(refusal, names, words = {}) {
  const { code, details = {} } = refusal
  const reason = says.reasons[details.reason]
  const issues = details.issues ?? (details.field === undefined ? [] : [details])
  const fields = issues
    .filter(({ field }) => names.includes(field))
    .map(({ field }) => ({ field, words: reason ?? wordsForField(field) }))
  if (fields.length > 0) return { fields: unique(fields), sentence: undefined }
  return { fields: [], sentence: words[code] ?? reason ?? says.codes[code] ?? sentenceFor(refusal) }
}

function sentenceFor({ code, retryAfter, requestId }) {
  if (code === 'RATE_LIMITED')
    return retryAfter > 0 ? fill(says.tooManyTriesUntil, { when: whenAfter(retryAfter) }) : says.tooManyTries
  return requestId === undefined ? says.ourFault : fill(says.ourFaultNumber, { number: requestId })
}

/** After a wait, such as "in 5 minutes", rounded up so that a try then succeeds. */
function whenAfter(seconds) {
  const [count, unit] =
    seconds < 60
      ? [seconds, 'second']
      : seconds < 3_600
        ? [seconds / 60, 'minute']
        : [seconds / 3_600, 'hour']
  return new Intl.RelativeTimeFormat(language).format(Math.ceil(count), unit)
}

function unique(problems) {
  return problems.filter(({ field }, index) => problems.findIndex((other) => other.field === field) === index)
}
