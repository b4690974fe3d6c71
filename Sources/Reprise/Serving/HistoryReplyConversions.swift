import ExactText
import Preservation
import RepriseControl
import StateRestoration

// Conversions of generations, differences and quarantined items to the types of the `org.reprise.Control` interface.

extension GenerationDescription {
    init(_ generation: SavedGeneration) {
        self.init(
            name: generation.name, path: generation.path, time: rfc3339String(generation.time),
            reason: generation.reason, bytes: generation.byteCount,
            bundleVersions: generation.bundleVersions, objects: generation.objectCount,
            problem: generation.problem)
    }
}

extension DiffCall.Reply {
    init(_ comparison: GenerationComparison) {
        self.init(
            from: comparison.from, to: comparison.to,
            differences: comparison.differences.listedDifferences.map(DifferenceDescription.init),
            unlisted: comparison.differences.unlistedCount, problems: comparison.problems)
    }
}

extension DifferenceDescription {
    init(_ difference: StateDifference) {
        self.init()
        scene = difference.scene
        path = difference.path
        switch difference.change {
        case .appeared(let name): (kind, to) = (.appeared, name.map(StateJSON.string))
        case .disappeared(let name): (kind, from) = (.disappeared, name.map(StateJSON.string))
        case .trait(let trait, let old, let new):
            kind = DifferenceKind(trait)
            from = old.map { Self.json(trait, $0) }
            to = new.map { Self.json(trait, $0) }
        case .value(let key, let old, let new):
            kind = old == nil ? .added : new == nil ? .removed : .changed
            self.key = key
            from = old.map(StateJSON.init)
            to = new.map(StateJSON.init)
        case .unreadable: kind = .unreadable
        }
    }

    private static func json(_ trait: StateDifference.Trait, _ text: String) -> StateJSON {
        trait == .inUse ? .bool(text == "true") : .string(text)
    }
}

extension DifferenceKind {
    fileprivate init(_ trait: StateDifference.Trait) {
        self =
            switch trait {
            case .class: .class
            case .restorationClass: .restorationClass
            case .storyboard: .storyboard
            case .storyboardIdentifier: .storyboardIdentifier
            case .bundleVersion: .bundleVersion
            case .inUse: .inUse
            }
    }
}

extension StateJSON {
    fileprivate init(_ content: StateDifference.Content) {
        switch content {
        case .value(let value): self.init(value)
        case .large(let byteCount): self = .object(["bytes": .integer(Int64(byteCount))])
        }
    }
}

extension QuarantinedDescription {
    init(_ entry: QuarantineEntry) {
        let kind: FileKind =
            switch entry.kind {
            case .file: .file
            case .directory: .folder
            case .link: .link
            case .other: .other
            }
        self.init(
            name: entry.name, path: entry.path, kind: kind, reason: entry.reason,
            time: entry.time.map(rfc3339String), bytes: entry.byteCount)
    }
}

extension QuarantinePutBackCall.Reply {
    init(putBack result: StateChangeResult) {
        self.init(result)
        document = result.document
        shortfall = result.shortfall
    }
}
