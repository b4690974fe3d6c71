import ExactText

/// Last problem with an application. The application's status still shows the problem after a restart.
package struct RecordedProblem: Sendable, Equatable, Codable {
    /// Description of the problem, as a sentence.
    package var sentence: String
    /// Time at which the problem occurred, or first occurred if it was repeated, in microseconds since 1970-01-01 UTC.
    package var time: Int64
    /// Whether the previous process recorded the problem. `nil` means `false`.
    var isEarlier: Bool?

    /// Creates a problem.
    package init(sentence: String, time: Int64) {
        self.sentence = sentence
        self.time = time
    }
}

/// Record of the launch in progress, including the stage that the launch has reached (L2).
package struct LaunchInProgress: Sendable, Equatable, Codable {
    /// Identifier of the machine's current boot, or an empty string if it cannot be read.
    package var boot: String
    /// Scene that is being launched.
    package var scene: SceneKey
    /// Number of consecutive unsuccessful attempts to launch the scene, including this attempt.
    package var attempt: Int
    /// Reason for the launch (R2).
    package var reason: String
    /// Stage that the launch has reached.
    package var stage: String
    /// Identity of the program that is launching the scene.
    package var identity: ProgramIdentity
}
