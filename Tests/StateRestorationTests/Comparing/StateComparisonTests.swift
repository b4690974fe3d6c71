import TestSupport
import Testing

@testable import StateRestoration

@Suite struct StateComparisonTests {
    private typealias Object = StateSketch.Object
    private typealias SceneSketch = StateSketch.SceneSketch

    /// Returns the differences, each in the form `scene path change`.
    private func describe(_ old: StateSketch, _ new: StateSketch) -> [String] {
        old.differences(to: new).listedDifferences.map { difference in
            let place = [difference.scene, difference.path].compactMap(\.self)
            return "\(place.joined(separator: " ")) \(Self.describe(difference.change))"
        }
    }

    private static func describe(_ change: StateDifference.Change) -> String {
        switch change {
        case .appeared(let name): "appeared \(name ?? "-")"
        case .disappeared(let name): "disappeared \(name ?? "-")"
        case .trait(let trait, let from, let to): "\(trait) \(from ?? "-") > \(to ?? "-")"
        case .value(let key, let from, let to): "\(key): \(describe(from)) > \(describe(to))"
        case .unreadable: "unreadable"
        }
    }

    private static func describe(_ content: StateDifference.Content?) -> String {
        switch content {
        case nil: "-"
        case .value(.integer(let number)): "\(number)"
        case .value(.reference(let path)): "→\(path?.description ?? "?")"
        case .value(let value): "\(value)"
        case .large(let byteCount): "\(byteCount) bytes"
        }
    }

    @Test func `a state does not differ from itself, whatever its record numbers are`() {
        let nan = StateSketch.Content.list([.double(Double.nan.bitPattern), .text("x")])
        let state = StateSketch(
            Object(
                path: "nav", storyboard: "S", storyboardIdentifier: "n",
                values: ["to": .reference("nav/a"), "gone": .reference("nowhere")]),
            Object(
                path: "nav/a", restorationClass: "R",
                values: ["text": .text("a"), "nan": nan, "z": .broken(1)]),
            Object(path: "other", values: ["back": .list([.reference("nav")])]))
        #expect(state.differences(to: state).isEmpty)
    }

    @Test func `added, removed and changed values are listed by path and key, with both values`() {
        let old = StateSketch(
            Object(path: "nav", values: ["count": .number(1), "same": .text("s")]),
            Object(path: "nav/list", values: ["went": .number(5)]))
        let new = StateSketch(
            Object(path: "nav", values: ["count": .number(2), "same": .text("s")]),
            Object(path: "nav/list", values: ["came": .number(6)]))
        #expect(
            describe(old, new) == [
                "main nav count: 1 > 2", "main nav/list came: - > 6", "main nav/list went: 5 > -",
            ])
    }

    @Test func `references are compared by the paths of their targets`() {
        func state(_ path: String) -> StateSketch {
            StateSketch(
                Object(path: "a"), Object(path: "b"),
                Object(path: "c", values: ["to": .reference(path)]))
        }
        #expect(describe(state("a"), state("b")) == ["main c to: →a > →b"])
        #expect(describe(state("a"), state("nowhere")) == ["main c to: →a > →?"])
        #expect(describe(state("nowhere"), state("nowhere")) == [])
    }

    @Test func `added and removed objects and scenes are listed with their values`() {
        let old = StateSketch([
            SceneSketch(
                name: "a", objects: [Object(path: "nav"), Object(path: "nav/x", class: "Old")]),
            SceneSketch(name: "b", values: ["v": .number(1)]),
        ])
        let new = StateSketch([
            SceneSketch(
                name: "a",
                objects: [
                    Object(path: "nav"), Object(path: "nav/y", values: ["v": .number(2)]),
                    Object(path: "nav/y/z"),
                ]),
            SceneSketch(name: "c", objects: [Object(path: "nav")]),
        ])
        #expect(
            describe(old, new) == [
                "a nav/x disappeared Old", "a nav/y appeared Thing", "a nav/y v: - > 2",
                "a nav/y/z appeared Thing", "b disappeared -", "b v: 1 > -", "c appeared -",
                "c nav appeared Thing",
            ])
    }

    @Test func `P13: changed classes and storyboards are listed`() {
        let old = StateSketch(Object(path: "x", restorationClass: "R", storyboard: "S"))
        let new = StateSketch(
            Object(path: "x", class: "Other", storyboard: "T", storyboardIdentifier: "i"))
        #expect(
            describe(old, new) == [
                "main x class Thing > Other", "main x restorationClass R > -",
                "main x storyboard S > T", "main x storyboardIdentifier - > i",
            ])
    }

    @Test func `L6: a changed bundle version is listed, but a changed system version is not`() {
        let old = StateSketch([SceneSketch(name: "main", values: ["own": .number(1)])])
        let new = StateSketch([
            SceneSketch(
                name: "main", bundleVersion: "2", systemVersion: "Linux 7", isInUse: false,
                values: ["own": .number(1)])
        ])
        #expect(describe(old, new) == ["main bundleVersion 1 > 2", "main inUse true > false"])
    }

    @Test func `invalid bytes are compared as bytes, and values before them are read`() {
        func state(_ number: Int, _ byte: UInt8) -> StateSketch {
            StateSketch(
                Object(path: "x", values: ["a": .number(number), "b": .broken(byte)]))
        }
        let old = StateComparison.Side(
            [("main", scene(values: [1, 3, 2, 99]))], names: [1: "a"])
        let same = StateComparison.Side(
            [("main", scene(values: [1, 3, 2, 99]))], names: [1: "a"])
        let other = StateComparison.Side(
            [("main", scene(values: [1, 3, 2, 98]))], names: [1: "a"])
        #expect(StateComparison.differences(from: old, to: same).isEmpty)
        #expect(
            StateComparison.differences(from: old, to: other).listedDifferences.map(\.change)
                == [.unreadable])
        #expect(describe(state(1, 1), state(2, 1)).first == "main x a: 1 > 2")
    }

    private func scene(values: [UInt8]) -> SavedScene {
        .test(9, values: values)
    }

    @Test func `a large value is listed only by its size`() {
        let text = String(repeating: "x", count: 20_000)
        let old = StateSketch(Object(path: "x", values: ["v": .text(text)]))
        let new = StateSketch(Object(path: "x", values: ["v": .text(text + "y")]))
        #expect(describe(old, new) == ["main x v: 20004 bytes > 20005 bytes"])
    }

    @Test func `the list is limited by count and by bytes, and omitted differences are counted`() {
        func state(_ count: Int, _ text: String) -> StateSketch {
            StateSketch([
                SceneSketch(
                    name: "main",
                    objects: (0..<count).map {
                        Object(path: "x\($0)", values: ["v": .text(text)])
                    })
            ])
        }
        let few = state(30, "a").differences(to: state(30, "b"), limit: 20)
        #expect(few.listedDifferences.count == 20)
        #expect(few.unlistedCount == 10)
        let long = String(repeating: "x", count: 15_000)
        let heavy = state(400, long + "a").differences(to: state(400, long + "b"))
        #expect(heavy.listedDifferences.count < 150 && heavy.listedDifferences.count > 100)
        #expect(heavy.listedDifferences.count + heavy.unlistedCount == 400)
    }

    @Test func `differences of up to 4 MiB are listed, and further differences are counted`() {
        func state(_ count: Int, values: [String: StateSketch.Content]) -> StateSketch {
            StateSketch([
                SceneSketch(
                    name: "main",
                    objects: (0..<count).map { Object(path: "x\($0)", values: values) })
            ])
        }
        // Each value has 16 KiB, which consist of a tag, a length of two bytes, and the text.
        let values = ["v": StateSketch.Content.text(String(repeating: "x", count: 16_381))]
        for (count, unlisted) in [(256, 0), (257, 1)] {
            let differences = state(count, values: [:]).differences(
                to: state(count, values: values))
            #expect(differences.listedDifferences.count == 256)
            #expect(differences.unlistedCount == unlisted)
        }
    }

    @Test func `a path that is too long ends in an ellipsis, and objects below it do not trap`() {
        let long = String(repeating: "a", count: 250)
        let deep = (1...60).map { depth in
            Object(path: Array(repeating: long, count: depth).joined(separator: "/"))
        }
        let state = StateSketch([SceneSketch(name: "main", objects: deep)])
        let differences = StateSketch().differences(to: state).listedDifferences
        #expect(differences.count == 60)
        #expect(differences.allSatisfy { ($0.path ?? "").utf8.count <= 4096 + 4 })
        #expect(differences.last?.path?.hasSuffix("/…") == true)
    }

    @Test(arguments: [239, 240, 241, 242])
    func `a path is listed in full up to exactly the maximum length`(length: Int) {
        let identifiers =
            Array(repeating: String(repeating: "a", count: 240), count: 16)
            + [String(repeating: "b", count: length)]
        let paths = (1...17).map { identifiers.prefix($0).joined(separator: "/") }
        let state = StateSketch([
            SceneSketch(name: "main", objects: paths.map { Object(path: $0) })
        ])
        // With 240 bytes, the path is 4,096 bytes long.
        let listed = length <= 240 ? paths[16] : "\(paths[15])/…"
        #expect(StateSketch().differences(to: state).listedDifferences.last?.path == listed)
    }

    // MARK: Properties

    @Test(arguments: 1...20)
    func `comparing random states matches a simple comparison in both directions`(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        for _ in 0..<20 {
            let old = StateSketch.random(&random)
            let new = StateSketch.random(&random, like: old)
            #expect(old.differences(to: old).isEmpty)
            #expect(new.differences(to: new).isEmpty)
            let there = old.differences(to: new).listedDifferences
            let back = new.differences(to: old).listedDifferences
            // The descriptions are compared, because a NaN is not equal to itself.
            #expect(there.map { "\($0.mirrored)" } == back.map { "\($0)" }, "seed \(seed)")
            let found = Set(there.compactMap(\.place))
            #expect(found.count == there.count)
            #expect(found == old.places(changedIn: new), "seed \(seed)")
        }
    }

    @Test func `values excluded from the history count only in a full comparison`() {
        func state(_ number: Int, counted: Int, isInUse: Bool) -> StateSketch {
            let object = Object(
                path: "nav",
                values: [
                    "@uncounted": .list([.text("a"), .text("b")]), "a": .number(number),
                    "b": .number(number), "c": .number(counted),
                ])
            return StateSketch([SceneSketch(name: "main", isInUse: isInUse, objects: [object])])
        }
        func count(_ counting: StateComparison.CountedChanges, counted: Int = 1) -> Int {
            state(1, counted: 1, isInUse: true).differences(
                to: state(2, counted: counted, isInUse: false), counting: counting
            ).listedDifferences.count
        }
        #expect(count(.all) == 3 && count(.all, counted: 2) == 4)
        #expect(count(.history) == 1 && count(.history, counted: 2) == 2)
        #expect(count(.historyIgnoringInUse) == 0 && count(.historyIgnoringInUse, counted: 2) == 1)
    }
}

extension StateDifference {
    /// The same difference in the opposite direction.
    fileprivate var mirrored: StateDifference {
        var mirrored = self
        mirrored.change =
            switch change {
            case .appeared(let name): .disappeared(class: name)
            case .disappeared(let name): .appeared(class: name)
            case .trait(let trait, let from, let to): .trait(trait, from: to, to: from)
            case .value(let key, let from, let to): .value(key: key, from: to, to: from)
            case .unreadable: .unreadable
            }
        return mirrored
    }

    /// Location of the difference.
    fileprivate var place: String {
        switch change {
        case .appeared, .disappeared: "\(path ?? "") -"
        case .trait(let trait, _, _): "\(path ?? "") \(trait)"
        case .value(let key, _, _): "\(path ?? "") .\(key)"
        case .unreadable: "\(path ?? "") ?"
        }
    }
}

extension StateSketch {
    /// Creates a random state of a few objects, most of which are objects of the other state, if any.
    fileprivate static func random(
        _ random: inout SeededNumbers, like other: StateSketch? = nil
    ) -> StateSketch {
        var objects: [Object] = []
        let paths = ["a", "a/b", "a/b/c", "a/d", "e", "e/b"]
        for path in paths where Int.random(in: 0..<8, using: &random) > 0 {
            let parent = path.split(separator: "/").dropLast().joined(separator: "/")
            guard parent.isEmpty || objects.contains(where: { $0.path == parent }) else {
                continue
            }
            let before = other?.scenes[0].objects.first { $0.path == path }
            if let before, Bool.random(using: &random) {
                objects.append(before)
                continue
            }
            var object = Object(path: path, class: Bool.random(using: &random) ? "A" : "B")
            for key in ["k", "l", "m"] where Bool.random(using: &random) {
                object.values[key] = content(&random, paths)
            }
            objects.append(object)
        }
        return StateSketch([SceneSketch(name: "main", objects: objects)])
    }

    private static func content(_ random: inout SeededNumbers, _ paths: [String]) -> Content {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .number(Int.random(in: 0..<3, using: &random))
        case 1: .text(["", "x", "y"].randomElement(using: &random) ?? "")
        case 2: .reference(paths.randomElement(using: &random) ?? "")
        case 3: .double(Double.nan.bitPattern)
        default: .list([content(&random, paths)])
        }
    }

    /// Returns the locations at which another state differs, determined from the sketches alone.
    fileprivate func places(changedIn other: StateSketch) -> Set<String> {
        let old = scenes[0].objects
        let new = other.scenes[0].objects
        var places: Set<String> = []
        for path in Set((old + new).map(\.path)) {
            let before = old.first { $0.path == path }
            let after = new.first { $0.path == path }
            if before == nil || after == nil { places.insert("\(path) -") }
            if let before, let after, before.class != after.class {
                places.insert("\(path) class")
            }
            for key in Set((before?.values ?? [:]).keys).union((after?.values ?? [:]).keys) {
                let from = before?.values[key]?.resolved(in: old)
                let to = after?.values[key]?.resolved(in: new)
                if from != to { places.insert("\(path) .\(key)") }
            }
        }
        return places
    }
}

extension StateSketch.Content {
    /// Returns the content with the same target for all references to missing objects.
    fileprivate func resolved(in objects: [StateSketch.Object]) -> Self {
        switch self {
        case .reference(let path):
            .reference(objects.contains { $0.path == path } ? path : "nowhere")
        case .list(let values): .list(values.map { $0.resolved(in: objects) })
        default: self
        }
    }
}
