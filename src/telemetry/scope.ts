import { VERSION } from '../core/version.ts'

/** What everything that Postern tells is made by. */
export const SCOPE = { name: 'postern', version: VERSION }
