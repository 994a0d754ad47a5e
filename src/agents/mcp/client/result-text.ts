import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/**
 * Matches a run whole and measures it afterwards: with a minimum length in the pattern, each position of a shorter run
 * would be tried as a start.
 */
const RUN = /[A-Za-z0-9+/_-]+={0,2}/g
/** Longest run of base64 characters that prose can contain. */
const LONG = 1_024

/** A tool's result as text for a model; binary content is named and omitted. */
export function toText({ content, structuredContent }: CallToolResult): string {
  const texts = content.map(textOf)
  const isBare = content.length === 0 && structuredContent !== undefined
  const text = isBare ? JSON.stringify(structuredContent) : texts.join('\n')
  return text.replace(RUN, (run) =>
    run.length < LONG ? run : `[${run.length} characters of base64 are left out]`,
  )
}

function textOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'image' || block.type === 'audio')
    return `[${block.type}, ${block.mimeType}, ${block.data.length} characters of base64 are left out]`
  if (block.type === 'resource_link') return `[resource ${block.name}: ${block.uri}]`
  const { resource } = block
  return 'text' in resource ? resource.text : `[resource ${resource.uri}, its bytes are left out]`
}
