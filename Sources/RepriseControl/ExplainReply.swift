/// What `Explain` answers.
package struct ExplainReply: Codable, Sendable {
    package var path: String
    package var live = false
    package var `class`: String?
    package var preserved = false
    package var reason: String?
    package var gap: String?
    package var recordedPath: String?
    package var values: Int?
    package var bytes: Int?
    package var problems: [String] = []
    package var encodeFailure: String?
    package var launchReason: String
    package var restored = false
    package var unrestored: UnrestoredDescription?
    package var expired = false
    package var unclaimedLaunches: Int?
    package var story: [String]

    /// The story of an object of which nothing else is told.
    package init(path: String, launchReason: String, story: [String]) {
        self.path = path
        self.launchReason = launchReason
        self.story = story
    }
}
