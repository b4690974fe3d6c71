/// Finds the properties, ``Restorable`` and of other wrappers, that classes do not list in `restorables(_:)`, by reflection,
/// once for each class.
final class RestorableCheck {
    private var findings: [ObjectIdentifier: [StateEncoder.Problem]] = [:]
    /// The class that was asked for last, which lists everything.
    private var lastComplete: ObjectIdentifier?

    /// What the class of an object does not list.
    func unlisted(
        in object: any StateRestoring, of type: ObjectIdentifier
    ) -> [StateEncoder.Problem] {
        if type == lastComplete { return [] }
        let found = findings[type] ?? look(at: object)
        findings[type] = found
        if found.isEmpty { lastComplete = type }
        return found
    }

    private func look(at object: any StateRestoring) -> [StateEncoder.Problem] {
        var counts = RestorableList(of: object).counts
        var unlisted: [StateEncoder.Problem] = []
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            for case let (label?, property as any ListedProperty) in current.children {
                if let count = counts[property.key.description], count > 0 {
                    counts[property.key.description] = count - 1
                } else {
                    unlisted.append(
                        StateEncoder.Problem(
                            property.key.description,
                            .restorableNotListed(property: String(label.dropFirst()))))
                }
            }
            mirror = current.superclassMirror
        }
        return unlisted
    }
}

/// A wrapper of properties that are listed in `restorables(_:)`, as reflection recognises it.
package protocol ListedProperty {
    /// The key under which the property is saved.
    var key: StaticString { get }
}

extension Restorable: ListedProperty {}
