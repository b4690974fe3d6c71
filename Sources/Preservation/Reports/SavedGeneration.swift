import ExactText
public import FoundationEssentials
public import StateRestoration

/// A copy of what an application had saved at an earlier time.
public struct SavedGeneration: Sendable, Equatable {
    /// Its name, which is its number: `000012`. A higher one was made later.
    public var name: String
    /// Its path.
    public var path: String
    /// When it was made.
    public var time: Date
    /// Why it was made, as a clause; nil if that is not known.
    public var reason: String?
    /// How many bytes it has.
    public var byteCount: Int
    /// The versions of the program that saved its scenes, each once (L6).
    public var bundleVersions: [String] = []
    /// How many objects it holds.
    public var objectCount = 0
    /// Why nothing of it can be used, or only what is told here, as a sentence; nil: all can.
    public var problem: String?
}

/// In what two generations differ, or a generation and what is saved now.
public struct GenerationComparison: Sendable, Equatable {
    /// The name of the first one.
    public var from: String
    /// The name of the second one; nil: what is saved now.
    public var to: String?
    /// In what they differ.
    public var differences: StateDifferences
    /// Sentences that tell what of the two could not be used and so was not compared.
    public var problems: [String] = []
}

/// A state that an application has saved, now or earlier.
public enum SavedStateSource: Sendable, Equatable {
    /// The state that is saved now.
    case saved
    /// A generation, by its name, with or without the zeros in front.
    case generation(String)
    /// What lies in quarantine under a name.
    case quarantined(String)
}
