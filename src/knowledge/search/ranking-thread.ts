import { answerQuestions } from '../../core/threads/thread.ts'
import { type Ranking, rankByText, type Scored } from './rank.ts'

answerQuestions<Ranking, Scored[]>(rankByText)
