import ExactText

/// Every object of a scene with its address, preserved or not (P6).
///
/// An address is the restoration path; an object without an identifier stands in it as its
/// storyboard identifier behind an `@`, else as its class name, with `~2` and so on among equals.
package struct TreeSurvey {
    /// One object of the scene.
    package struct Entry {
        package let address: String
        package let object: any StateRestoring
        package let classToken: String
        /// Reason for which it is not preserved; nil if it is preserved.
        package let omission: Omission?
    }

    /// The objects on the way to an address, the root first.
    package struct Trail {
        package internal(set) var entries: [Entry] = []
        /// Whether the last one is at the address itself.
        package internal(set) var isComplete = false
    }

    /// Reason for which an object is not preserved.
    package enum Omission: Sendable, Equatable, CustomStringConvertible {
        /// It has no identifier (I1).
        case noIdentifier
        /// An object above it has none (P6).
        case gap(address: String)
        /// An object above it is left out, though it has an identifier.
        case leftOut(address: String)
        /// A sibling with the same identifier is preserved instead (I3).
        case equalSibling
        /// Its path is too long (I2).
        case pathTooLong
        /// The application does not save (P1).
        case applicationDoesNotSave
        /// The state saved at its path could not be restored to it, and is kept until it changes
        /// (R16).
        case unrestored
        /// No pass has reached it yet.
        case notYetSaved

        package var description: String {
            switch self {
            case .noIdentifier: "it has no restoration identifier"
            case .gap(let address): "\(address), above it, has no restoration identifier"
            case .leftOut(let address): "\(address), above it, is not preserved"
            case .equalSibling:
                "a sibling with the same restoration identifier is preserved instead"
            case .pathTooLong:
                "its path has more than \(RestorationPath.maximumBytes) bytes"
            case .applicationDoesNotSave: "the application does not save its state"
            case .unrestored:
                "state saved at its path could not be restored to it, and stays until it changes"
            case .notYetSaved: "no pass has reached it yet"
            }
        }
    }

    private let scene: Scene

    package init(_ scene: Scene) {
        self.scene = scene
    }

    /// All objects, parents first.
    package func entries() -> [Entry] {
        var result: [Entry] = []
        var seen: Set<ObjectIdentifier> = []
        walk(scene.liveRoots, above: "", lost: nil, seen: &seen, into: &result)
        return result
    }

    /// The object at an address; nil if there is none. Controllers on the way load their views, so
    /// that what was never shown can be operated too.
    package func object(at address: String) -> (any StateRestoring)? {
        let trail = trail(to: address)
        return trail.isComplete ? trail.entries.last?.object : nil
    }

    /// The objects from a root down to an address, as far as there are any.
    ///
    /// - Parameter loadsViews: whether views on the way are loaded, for somebody who operates what
    ///   stands there. Who only looks loads none, which would change what is preserved (P21).
    package func trail(to address: String, loadsViews: Bool = true) -> Trail {
        var trail = Trail()
        var level = scene.liveRoots
        var above = ""
        var lost: Omission?
        let slash = UInt8(ascii: "/")
        for component in address.utf8.split(separator: slash, omittingEmptySubsequences: false) {
            guard let object = Self.find(component, in: level, scene.classes) else { return trail }
            above += (above.isEmpty ? "" : "/") + Substring(component)
            let entry = entry(of: object, above, lost: lost)
            trail.entries.append(entry)
            lost = lost ?? loss(below: entry)
            guard loadsViews else {
                level = scene.liveChildren(of: object) + scene.waitingChildren(of: object)
                continue
            }
            scene.records.isSearching = true
            object.loadRestorationChildren()
            scene.records.isSearching = false
            level = scene.liveChildren(of: object)
        }
        trail.isComplete = true
        return trail
    }

    /// The address of an object in the scene; nil if it is not there.
    package func address(of object: any StateRestoring) -> String? {
        entries().first { $0.object === object }?.address
    }

    private func walk(
        _ objects: [any StateRestoring], above: String, lost: Omission?,
        seen: inout Set<ObjectIdentifier>, into result: inout [Entry]
    ) {
        for (component, object) in Self.named(objects, scene.classes) {
            // An object that lies in itself is listed once.
            guard seen.insert(ObjectIdentifier(object)).inserted else { continue }
            let address = above.isEmpty ? component : "\(above)/\(component)"
            let entry = entry(of: object, address, lost: lost)
            result.append(entry)
            walk(
                scene.liveChildren(of: object), above: address, lost: lost ?? loss(below: entry),
                seen: &seen, into: &result)
        }
    }

    /// Reason for which nothing below an object is preserved, if that is because of the object.
    private func loss(below entry: Entry) -> Omission? {
        if entry.object.restoration.isGap(entry.object.restorationKind) {
            return .gap(address: entry.address)
        }
        switch entry.omission {
        case .equalSibling, .pathTooLong: return .leftOut(address: entry.address)
        case .noIdentifier, .gap, .leftOut, .applicationDoesNotSave, .unrestored, .notYetSaved, nil:
            return nil
        }
    }

    /// - Parameter lost: why nothing below what it lies in is preserved.
    private func entry(of object: any StateRestoring, _ address: String, lost: Omission?) -> Entry {
        Entry(
            address: address, object: object,
            classToken: scene.classes.token(for: type(of: object)),
            omission: omission(of: object, lost: lost))
    }

    private func omission(of object: any StateRestoring, lost: Omission?) -> Omission? {
        let node = object.restoration
        if node.identifier == nil { return .noIdentifier }
        if node.record.exists, node.records === scene.records {
            return node.record.isUnrestored ? .unrestored : nil
        }
        if let lost { return lost }
        switch node.record.omission {
        case .pathTooLong: return .pathTooLong
        case .equalSibling: return .equalSibling
        case nil: break
        }
        return scene.records.needsFullPass ? .applicationDoesNotSave : .notYetSaved
    }

    private static func named(
        _ objects: [any StateRestoring], _ classes: ClassRegistry
    ) -> [(component: String, object: any StateRestoring)] {
        var counts: [RestorationIdentifier: Int] = [:]
        var result: [(component: String, object: any StateRestoring)] = []
        for object in preservedFirst(objects) {
            guard let name = name(of: object, classes) else { continue }
            let key = RestorationIdentifier(recorded: name)
            let count = counts[key, default: 0] + 1
            counts[key] = count
            result.append((count == 1 ? name : "\(name)~\(count)", object))
        }
        return result
    }

    /// The object that ``named(_:_:)`` gives this name, without naming the others.
    ///
    /// Bytes are compared, not characters: identifiers that look the same may differ (I5).
    private static func find(
        _ component: Substring.UTF8View, in objects: [any StateRestoring], _ classes: ClassRegistry
    ) -> (any StateRestoring)? {
        // "name~2" is the second of equals; the first has no number.
        let tilde = component.lastIndex(of: UInt8(ascii: "~")) ?? component.endIndex
        let number = Int(Substring(component[tilde...].dropFirst())) ?? 1
        let isNumbered = number > 1 && "~\(number)".utf8.elementsEqual(component[tilde...])
        var equals = 0
        for object in preservedFirst(objects) {
            guard let name = name(of: object, classes)?.utf8 else { continue }
            if name.elementsEqual(component) { return object }
            guard isNumbered, name.elementsEqual(component[..<tilde]) else { continue }
            equals += 1
            if equals == number { return object }
        }
        return nil
    }

    /// Siblings in their order, with the objects at the end that lost their path to a sibling with the same identifier
    /// (I3). The address without a number then belongs to the preserved object.
    private static func preservedFirst(
        _ objects: [any StateRestoring]
    ) -> [any StateRestoring] {
        func isLeftOut(_ object: any StateRestoring) -> Bool {
            object.restoration.record.omission == .equalSibling
        }
        guard objects.count > 1, objects.contains(where: isLeftOut) else { return objects }
        return objects.filter { !isLeftOut($0) } + objects.filter(isLeftOut)
    }

    /// Nil for what is only a part of another: it is looked through.
    private static func name(of object: any StateRestoring, _ classes: ClassRegistry) -> String? {
        let node = object.restoration
        if let identifier = node.identifier { return identifier.text }
        if let storyboard = node.storyboard { return "@" + storyboard.identifier }
        guard object.isListedByClass else { return nil }
        return "@" + classes.token(for: type(of: object))
    }
}

extension RestorationNode {
    /// Whether nothing below is preserved: it has no identifier, and is no view (P6, P11).
    fileprivate func isGap(_ kind: RestorationKind) -> Bool { identifier == nil && kind != .view }
}
