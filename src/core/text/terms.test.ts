import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { createTermCounter, readTerms, termsOf } from './terms.ts'

it('finds words without their case, accents, apostrophes and plurals', () => {
  const cases: Record<string, string[]> = {
    'The Quick-brown FOX.': ['the', 'quick', 'brown', 'fox', 'quickbrown'],
    "Don't panic; the company's boxes": ['dont', 'panic', 'the', 'company', 'box'],
    'Crème brûlée, l’eau, naïveté': ['creme', 'brulee', 'leau', 'naivete'],
    'Straße Øresund łódź': ['strasse', 'oresund', 'lodz'],
    'invoices parties classes status analysis ties as': [
      'invoice',
      'party',
      'class',
      'status',
      'analysis',
      'tie',
      'as',
    ],
    '3.14 and 2026-11-22': ['3', '14', 'and', '2026', '11', '22', '20261122'],
    'ﬁne ｗｉｄｅ ②': ['fine', 'wide', '2'],
    مُحَمَّد: ['محمد'],
    हिन्दी: ['हिन्दी'],
  }
  for (const [text, terms] of Object.entries(cases)) assert.deepEqual(termsOf(text), terms, text)
})

it('finds each two signs that stand together where a script has no spaces', () => {
  assert.deepEqual(termsOf('東京都庁 へ'), ['東京', '京都', '都庁', 'へ'])
  assert.deepEqual(termsOf('iPhone電話 v2'), ['iphone', '電話', 'v2', 'v', '2'])
})

it('has the same terms for a text however it is composed, and terms are their own terms', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
      const terms = termsOf(text)
      assert.deepEqual(termsOf(text.normalize('NFD')), terms)
      for (const term of terms) {
        assert.ok(term.length > 0 && term.length <= 64)
        assert.doesNotMatch(term, /['"\\\s]/)
      }
    }),
  )
})

it('cuts a long word, and never inside of a character', () => {
  assert.equal(termsOf('x'.repeat(1_000))[0]?.length, 64)
  const [term = ''] = termsOf(`a${'𝼀'.repeat(100)}`)
  assert.ok(term.isWellFormed())
})

it('counts terms as they would be if all of a text were made', () => {
  const signs = ['IT ', 'The Who ', ..."aaabcsseixzhSEW12'' \n-_,.", "es'", 'ies ', 'ches ', 'é', '’', '東京']
  const texts = fc.array(fc.constantFrom(...signs), { maxLength: 40 }).map((some) => some.join(''))
  fc.assert(
    fc.property(texts, fc.array(texts, { maxLength: 3 }), (text, others) => {
      const found = termsOf(text)
      const terms = [...new Set([...found.filter((_, index) => index % 2 === 0), ...others.flatMap(termsOf)])]
      const counts = terms.map((term) => found.filter((one) => one === term).length)
      assert.deepEqual(createTermCounter(terms)(text), { length: readTerms(text).words.length, counts })
    }),
    { numRuns: 2_000 },
  )
})

it('finds part numbers, compounds and names of code however they are written', () => {
  const cases: Record<string, string[]> = {
    'AB-1234': ['ab', '1234', 'ab1234'],
    AB1234: ['ab1234', 'ab', '1234'],
    'getUserNames snake_case': ['getusername', 'snake', 'case', 'get', 'user', 'name', 'snakecase'],
    'E‐Mail für Hörsäle': ['e', 'mail', 'fur', 'horsale', 'email'],
    '0a1b2c3d4e5f6a': ['0a1b2c3d4e5f6a'],
  }
  for (const [text, terms] of Object.entries(cases)) assert.deepEqual(termsOf(text), terms, text)
})

it('knows a frequent word that is written as an acronym or as a name from the word', () => {
  assert.deepEqual(termsOf('Ask IT, it helps.'), ['ask', 'it', 'it', 'help', 'itª'])
  assert.deepEqual(termsOf('The Who played. The end'), ['the', 'who', 'played', 'the', 'end', 'whoº'])
  assert.deepEqual(termsOf('I am, and so am I'), ['i', 'am', 'and', 'so', 'am', 'i'])
})
