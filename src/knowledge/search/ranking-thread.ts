import { serveQuestions } from '../../core/thread.ts'
import { type Ranking, rankByText, type Scored } from './rank.ts'

serveQuestions<Ranking, Scored[]>(rankByText)
