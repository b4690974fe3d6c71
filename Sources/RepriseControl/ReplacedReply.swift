/// What `Rollback` and `Reset` answer.
package struct ReplacedReply: Codable, Sendable {
    package var scenes: [String]
    package var generation: String?
    package var saved: SaveLevel
    package var notSavedReason: String?

    package init(scenes: [String], generation: String?, saved: SavedReply) {
        self.scenes = scenes
        self.generation = generation
        self.saved = saved.saved
        notSavedReason = saved.notSavedReason
    }
}
