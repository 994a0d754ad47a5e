import type { Language } from '../core/language.ts'
import { de as browserDe } from './browser/de.ts'
import { type BrowserMessages, en as browserEn } from './browser/en.ts'
import { es as browserEs } from './browser/es.ts'
import { fr as browserFr } from './browser/fr.ts'
import { ja as browserJa } from './browser/ja.ts'
import { de as mailDe } from './mails/de.ts'
import { type MailMessages, en as mailEn } from './mails/en.ts'
import { es as mailEs } from './mails/es.ts'
import { fr as mailFr } from './mails/fr.ts'
import { ja as mailJa } from './mails/ja.ts'
import { de as pageDe } from './pages/de.ts'
import { type PageMessages, en as pageEn } from './pages/en.ts'
import { es as pageEs } from './pages/es.ts'
import { fr as pageFr } from './pages/fr.ts'
import { ja as pageJa } from './pages/ja.ts'

/** What the hosted pages say. */
export const PAGE_MESSAGES: Record<Language, PageMessages> = {
  en: pageEn,
  de: pageDe,
  fr: pageFr,
  es: pageEs,
  ja: pageJa,
}

/** What their scripts say: a script gets those of the page's language. */
export const BROWSER_MESSAGES: Record<Language, BrowserMessages> = {
  en: browserEn,
  de: browserDe,
  fr: browserFr,
  es: browserEs,
  ja: browserJa,
}

/** What mails say. */
export const MAIL_MESSAGES: Record<Language, MailMessages> = {
  en: mailEn,
  de: mailDe,
  fr: mailFr,
  es: mailEs,
  ja: mailJa,
}
