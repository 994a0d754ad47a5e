// What the API's codes say to a person. `field`, `reason` and `code` are the API's own (specification 7).

const FIELDS = {
  organization: 'Enter the name of your organization.',
  firstName: 'Enter your first name.',
  lastName: 'Enter your last name.',
  email: 'Enter an e-mail address, such as name@example.com.',
  password: 'Enter a password of 8 to 256 characters.',
  newPassword: 'Enter a password of 8 to 256 characters.',
  termsAccepted: 'Accept the terms of use to continue.',
  code: 'Enter the code from the mail.',
  totp: 'Enter the six digits that your app shows.',
  recoveryCode: 'Enter one of your recovery codes.',
  shown: 'Enter a code.',
}

const REASONS = {
  name_taken: 'This name is taken. Choose another one.',
  password_too_common: 'This password is too common. Choose another one.',
  another_password: 'This is not the password you chose when you signed up.',
  invitation_required:
    'There is no open invitation for this address. If you have an account, sign in; otherwise ask the person who invited you for a new one.',
  wrong_factor: 'That did not match. A code works once: wait for the next one, or use a recovery code.',
  wrong_code: 'That did not match. Wait for the next code and enter that.',
  no_pending_sign_in: 'That took too long, or there were too many tries. Sign in once more.',
  too_many_factors: 'You have as many second factors as an account may have. Remove one first.',
  cross_site: 'This page was opened from another site. Open it at its usual address.',
}

const CODES = {
  OFFLINE: 'The server cannot be reached. Check your connection and try again.',
  PASSKEY_NOT_SHOWN: 'No passkey was shown. Try again, or sign in another way.',
  PASSKEY_THERE: 'This device has a passkey for your account already.',
  UNAUTHORIZED: 'That did not match. Check what you entered and try again.',
  FORBIDDEN: 'You do not have permission to do this. Ask your administrator.',
  MISSING_REQUIRED_FIELD: 'Something is missing.',
  ENTITY_NOT_FOUND: 'This no longer exists.',
  INTEGRATION_PROVIDER_ERROR:
    'The provider could not be reached. Try again in a moment, or sign in another way.',
}

/** The words for an empty or unfinished field. */
export function wordsForField(name) {
  return FIELDS[name] ?? 'Check this field.'
}

/**
 * The sentences about a refusal: one for each wrong field, or else one for the whole form.
 * @param {object} words the form's own sentences by code
 */
export function explain(refusal, names, words = {}) {
  const { code, details = {} } = refusal
  const reason = REASONS[details.reason]
  const issues = details.issues ?? (details.field === undefined ? [] : [details])
  const fields = issues
    .filter(({ field }) => names.includes(field))
    .map(({ field }) => ({ field, words: reason ?? wordsForField(field) }))
  if (fields.length > 0) return { fields: unique(fields), sentence: undefined }
  return { fields: [], sentence: words[code] ?? reason ?? CODES[code] ?? sentenceFor(refusal) }
}

function sentenceFor({ code, retryAfter, requestId }) {
  if (code === 'RATE_LIMITED') return `Too many tries for now. Try again in ${spoken(retryAfter)}.`
  const number =
    requestId === undefined ? '' : ` If it happens again, tell your administrator this number: ${requestId}`
  return `Something went wrong on our side. Try again in a moment.${number}`
}

/** A wait in words, rounded up so that a try after it succeeds. */
function spoken(seconds) {
  if (!(seconds > 0)) return 'a moment'
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`
  const [count, unit] = seconds < 3_600 ? [seconds / 60, 'minute'] : [seconds / 3_600, 'hour']
  const whole = Math.ceil(count)
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`
}

function unique(problems) {
  return problems.filter(({ field }, index) => problems.findIndex((other) => other.field === field) === index)
}
