import StateRestoration

/// Something that an application was asked to do with a scene, waiting for its turn (P14).
struct SceneCommand {
    /// What answers a command once its change is saved.
    typealias Answer = (Saved) -> Void

    /// What is asked for.
    enum Kind {
        /// A body that runs on the scene; one that is only saved is launched first (S3).
        case perform((Scene) -> Answer)
        /// The launch of a scene that is not launched yet (S3).
        case open(Answer)
        /// The end of a scene (S3).
        case close(Answer)
    }

    var kind: Kind
    /// The scene; nil: the one that commands without a name go to.
    var scene: RestorationIdentifier?
    /// Answers that it was not done.
    var refuse: (any Error) -> Void

    /// Whether no command behind this one belongs to its turn: it may name a scene that this one
    /// ends.
    var endsTurn: Bool {
        if case .close = kind { true } else { false }
    }
}
