import FoundationEssentials
import RepriseControl
import SavedState

/// A scene that an archive holds, as `inspect` tells it.
struct InspectedScene: Encodable {
    var name: String
    /// When it was saved last (RFC 3339, UTC).
    var lastPass: String?
    /// What the scene itself saves.
    var state: InspectedState
    /// Its objects, parents first.
    var objects: [InspectedObject]

    private enum Keys: CodingKey { case name, lastPass, objects }

    func encode(to encoder: any Encoder) throws {
        try state.encode(to: encoder)
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(lastPass, forKey: .lastPass)
        try container.encode(objects, forKey: .objects)
    }
}

/// An object that an archive holds.
struct InspectedObject: Encodable {
    var path: String
    var state: InspectedState

    private enum Keys: CodingKey { case path }

    func encode(to encoder: any Encoder) throws {
        try state.encode(to: encoder)
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(path, forKey: .path)
    }
}

/// What is recorded of an object beside its place (P13).
struct InspectedState: Encodable {
    var `class`: String?
    var restorationClass: String?
    var storyboard: String?
    var storyboardIdentifier: String?
    var values: [String: StateJSON] = [:]
    /// Why more values cannot be read; nil: all were.
    var problem: String?
}
