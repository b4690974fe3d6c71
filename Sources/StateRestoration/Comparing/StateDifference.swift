import ExactText

/// One thing in which two saved states of an application differ.
public struct StateDifference: Sendable, Equatable {
    /// The name of the scene.
    public var scene: String
    /// The path of the object; nil: the scene itself.
    public var path: String?
    /// The difference.
    public var change: Change

    package init(scene: String, path: String?, change: Change) {
        self.scene = scene
        self.path = path
        self.change = change
    }

    /// A difference in an object or a scene.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Change: Sendable, Equatable {
        /// It is in the second state alone. Its values follow as ones that came.
        case appeared(class: String?)
        /// It is in the first state alone. Its values follow as ones that went.
        case disappeared(class: String?)
        /// Its record differs beside its values; nil if there is none on that side.
        case trait(Trait, from: String?, to: String?)
        /// A value under a key is another; nil: there is none.
        case value(key: String, from: Content?, to: Content?)
        /// The values cannot be read, and their bytes are not the same in both.
        case unreadable
    }

    /// A value, as a difference tells it.
    public enum Content: Sendable, Equatable {
        /// The value.
        case value(StoredValue)
        /// It is too large to be told; so many bytes it takes.
        case large(byteCount: Int)
    }

    /// The part of a record beside its values.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Trait: String, Sendable, CaseIterable {
        /// The name of its class (P13).
        case `class`
        /// The name of its restoration class.
        case restorationClass
        /// The name of the storyboard that made it.
        case storyboard
        /// Its identifier in the storyboard.
        case storyboardIdentifier
        /// The version of the program that saved the scene (L6).
        case bundleVersion
        /// Whether the scene was in use, or had been closed (S3): `true` or `false`.
        case inUse
    }
}

/// In what two saved states of an application differ, by scene, path and key.
public struct StateDifferences: Sendable, Equatable {
    /// The first ones.
    public var listed: [StateDifference] = []
    /// How many more there are.
    public var unlisted = 0

    package init() {}

    /// Whether the states are equal.
    public var isEmpty: Bool { listed.isEmpty && unlisted == 0 }
}
