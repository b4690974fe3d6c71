import ExactText

/// Last problem of an application, which the application's status shows after a restart.
package struct NotedProblem: Sendable, Equatable, Codable {
    /// Description of the problem, as a sentence.
    package var sentence: String
    /// Time of the problem, or of the first of several equal problems in a row, in microseconds since 1970-01-01 UTC.
    package var time: Int64
    /// Whether a previous process recorded the problem. `nil` means `false`.
    var isEarlier: Bool?

    /// Creates a problem.
    package init(sentence: String, time: Int64) {
        self.sentence = sentence
        self.time = time
    }
}

/// Record of a scene's launch in progress, with the stage that the launch has reached (L2).
package struct LaunchMark: Sendable, Equatable, Codable {
    /// Identifier of the machine's boot, or an empty string if it cannot be read.
    package var boot: String
    /// Scene that is being launched.
    package var scene: SceneKey
    /// Number of consecutive unsuccessful attempts to launch the scene, including this attempt.
    package var attempt: Int
    /// Launch reason (R2).
    package var reason: String
    /// Stage that the launch has reached.
    package var stage: String
    /// Identity of the program that launches the scene.
    package var identity: ProgramIdentity
}
