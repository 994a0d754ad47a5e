/** The languages of pages and mails by their tags (BCP 47), each with its own name. */
export const LANGUAGE_NAMES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
} as const

export type Language = keyof typeof LANGUAGE_NAMES
export const LANGUAGES = Object.keys(LANGUAGE_NAMES) as Language[]

/** Whether a person's family name is written before the given one. */
export const isFamilyNameFirst = (language: Language) => language === 'ja'

/** The language with this tag; undefined for any other value. */
export function readLanguage(text: unknown): Language | undefined {
  return LANGUAGES.find((language) => language === text)
}

/** Limits for the untrusted header: characters and choices that are read. */
const [MOST_CHARACTERS, MOST_CHOICES] = [400, 20]

/**
 * The supported language that a browser prefers (`Accept-Language`, RFC 9110 12.5.4): the highest weight, and of equal ones the
 * first. A regional tag counts as its language; `*` is ignored.
 */
export function acceptedLanguage(header: string | undefined): Language | undefined {
  const choices = (header ?? '').slice(0, MOST_CHARACTERS).split(',').slice(0, MOST_CHOICES)
  return choices
    .flatMap((choice) => {
      const [range = '', weight = 'q=1'] = choice.split(';').map((part) => part.trim().toLowerCase())
      const language = readLanguage(range.split('-')[0])
      const quality = /^q=([01](?:\.\d{0,3})?)$/.exec(weight)?.[1]
      return language === undefined || quality === undefined || Number(quality) === 0
        ? []
        : [{ language, quality: Number(quality) }]
    })
    .reduce<{ language: Language; quality: number } | undefined>(
      (best, next) => (best === undefined || next.quality > best.quality ? next : best),
      undefined,
    )?.language
}
