import ExactText
import StateRestoration

/// Entries of a launch report that are logged in one message, because they have the same parent and the same code.
///
/// If a migration is missing, for example, no element of a collection is restored. Its elements are logged together.
struct UnrestoredSiblings {
    /// Maximum number of siblings that are logged individually.
    static let maximumSeparateSiblings = 3

    /// The first object in the report.
    let first: UnrestoredObject
    /// Paths of the objects, in the order of the report.
    private var paths: [String]

    private init(_ first: UnrestoredObject) {
        self.first = first
        paths = [first.path]
    }

    /// Subject and verb of the sentence that describes the objects.
    var subject: String {
        if paths.count == 1 { return "\(first.path) was" }
        let examples = paths.prefix(Self.maximumSeparateSiblings).joined(separator: ", ")
        return "\(paths.count) objects below \(first.parentPath) (for example \(examples)) were"
    }

    /// Groups the entries of a report.
    static func groups(of objects: [UnrestoredObject]) -> [UnrestoredSiblings] {
        var counts: [Key: Int] = [:]
        for object in objects { counts[Key(object), default: 0] += 1 }
        var indices: [Key: Int] = [:]
        var groups: [UnrestoredSiblings] = []
        for object in objects {
            let key = Key(object)
            if !object.parentPath.isEmpty, counts[key, default: 0] > maximumSeparateSiblings {
                if let index = indices[key] {
                    groups[index].paths.append(object.path)
                    continue
                }
                indices[key] = groups.count
            }
            groups.append(UnrestoredSiblings(object))
        }
        return groups
    }

    /// Properties that the objects of a group have in common.
    private struct Key: Hashable {
        let parentPath: ExactString
        let code: RestorationFailure
        let isRepeated: Bool

        init(_ object: UnrestoredObject) {
            parentPath = ExactString(object.parentPath)
            code = object.code
            isRepeated = object.isRepeated
        }
    }
}

extension UnrestoredObject {
    /// Path of the object's parent, or an empty string for a root.
    fileprivate var parentPath: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(path[..<slash])
    }
}
