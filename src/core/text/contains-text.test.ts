import assert from 'node:assert/strict'
import { it } from 'node:test'
import { containsText } from './contains-text.ts'

it('finds a text in capitals or not, letter by letter, and accents however they are composed', () => {
  for (const [text, sought] of [
    ['Übersicht ändern', 'übersicht ändern'],
    ['Übersicht ändern', 'ÜBERSICHT Ä'],
    ['ärzte Öl', ' Ärzte öl '],
    ['Études élémentaires', 'études Élé'],
    ['Études', 'E\u0301TUDES'],
    ['E\u0301tudes', 'é'],
    ['Straße', 'STRASSE'],
    ['STRAẞE', 'straße'],
    ['ΟΔΟΣ', 'οδός'.normalize('NFD').replace('\u0301', '')],
    ['Οδός', 'ΟΔΌΣ'],
    ['ПРИВЕТ мир', 'привет МИР'],
    ['İzmir', 'i̇zmir'],
    ['a%20b_c', 'A%20B_'],
  ] as const)
    assert.ok(containsText(sought)(text), `${text} by ${sought}`)
  for (const [text, sought] of [
    ['abc', 'a_c'],
    ['abc', '%'],
    ['Études', 'etudes'],
    [null, 'a'],
  ] as const)
    assert.ok(!containsText(sought)(text), `${text} by ${sought}`)
})
