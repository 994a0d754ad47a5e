import type { readCommands } from '#src/cli/command.ts'

/** A command of Postern as a text shows it. */
export interface ShownCommand {
  name: string
  /** The options that follow it, without their dashes. */
  options: string[]
  /** All of it. */
  line: string
}

/** By npx, by the command that a package installs, by the file of the program, and by the single executable. */
const SHOWN =
  /(?:\bnpx postern|(?:^\s*|[`"]|\.B )postern|\bpostern\.js|\bpostern-[\d.]+-linux-\w+) ([a-z][a-z-]*)([^`\n#|]*)/gm

/** Finds the commands of Postern in a document or a recipe; a line that ends with `\` continues. */
export function shownCommands(text: string): ShownCommand[] {
  return [...text.replace(/\\\n\s*/g, '').matchAll(SHOWN)].map(([line, name = '', rest = '']) => ({
    name,
    options: [...rest.matchAll(/--([a-z]+(?:-[a-z]+)*)/g)].map(([, option = '']) => option),
    line: line.trim(),
  }))
}

/** Whether there is such a command, with all of the options. */
export function isCommand(
  { name, options }: ShownCommand,
  commands: Awaited<ReturnType<typeof readCommands>>,
): boolean {
  if (['help', 'version'].includes(name)) return true
  const known = commands[name]?.options
  return known !== undefined && options.every((option) => known[option] !== undefined)
}
