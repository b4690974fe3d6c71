import Foundation
import StateRecords
import StateRestoration

/// Measures passes and restores of 100,000 objects of five values each, beside the archivers that
/// Foundation has, by turns in one run.
@main
struct EngineBenchmark {
    private let rounds: Int
    private let hasPeers: Bool

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let rounds = arguments.first.flatMap({ Int($0) }), rounds > 0,
            ["", "--without-peers"].contains(arguments.dropFirst().joined(separator: " "))
        else {
            print("usage: EngineBenchmark ROUNDS [--without-peers]")
            exit(2)
        }
        let benchmark = EngineBenchmark(rounds: rounds, hasPeers: arguments.count == 1)
        for shape in [Shape.nested, .flat] { try benchmark.measureWhole(shape) }
        try benchmark.measureChanges()
    }

    // MARK: Whole trees

    private func measureWhole(_ shape: Shape) throws {
        var figures = Figures()
        // The first round warms up.
        for round in 0...rounds {
            try measureEngine(shape, &figures)
            if hasPeers {
                try measureKeyedArchiver(shape, &figures)
                try measureJSON(shape, &figures)
            }
            if round == 0 { figures.forgetAll() }
        }
        print("\(shape.name): \(shape.count) objects; µs an object (median, minimum)")
        let archivers = ["NSKeyedArchiver", "JSONEncoder"]
        let unarchivers = ["NSKeyedUnarchiver", "JSONDecoder"]
        for name in [
            "first full pass", "full pass that writes everything", "full pass that writes nothing",
        ] {
            figures.report(name, peers: archivers)
        }
        for name in archivers { figures.report(name) }
        for name in ["restore", "restore, and making the objects"] {
            figures.report(name, peers: unarchivers)
        }
        for name in unarchivers { figures.report(name) }
        print("")
    }

    private func measureEngine(_ shape: Shape, _ figures: inout Figures) throws {
        let root = shape.tree { LiveItem($0, place: $1, children: $2) }
        let session = EngineSession { root }
        try session.scene.launch(restoring: nil)
        let first = figures.measure("first full pass", among: shape.count) { session.pass() }
        guard let first, first.encodedCount == shape.count else { throw Failure("first pass") }
        let second = figures.measure("full pass that writes nothing", among: shape.count) {
            session.pass(isFull: true)
        }
        guard let second, second.isEmpty, second.encodedCount == shape.count else {
            throw Failure("second pass")
        }
        let saved = SavedItems(first)
        let empty = shape.tree { LiveItem(.none, place: $1, children: $2) }
        try restore(saved, root, "restore", &figures) { empty }
        try restore(saved, root, "restore, and making the objects", &figures) {
            shape.tree { LiveItem(.none, place: $1, children: $2) }
        }
        root.changeAll()
        let third = figures.measure("full pass that writes everything", among: shape.count) {
            session.pass(isFull: true)
        }
        guard third?.objects.count == shape.count else { throw Failure("third pass") }
    }

    private func restore(
        _ saved: SavedItems, _ original: LiveItem, _ name: String, _ figures: inout Figures,
        makeRoot: @escaping () -> LiveItem
    ) throws {
        let session = EngineSession(
            names: saved.names, after: saved.highestNumber, makeRoot: makeRoot)
        try figures.measure(name, among: saved.scene.records.count) {
            try session.scene.launch(restoring: saved.scene)
        }
        guard session.root?.countEqual(to: original) == saved.scene.records.count else {
            throw Failure(name)
        }
    }

    /// With a tenth of the objects, so that a run does not take many minutes.
    private func measureKeyedArchiver(_ whole: Shape, _ figures: inout Figures) throws {
        let shape = whole.tenth
        let root = shape.tree { KeyedItem($0, children: $2) }
        let data = try figures.measure("NSKeyedArchiver", among: shape.count) {
            try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true)
        }
        let copy = try figures.measure("NSKeyedUnarchiver", among: shape.count) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: KeyedItem.self, from: data)
        }
        guard copy?.count == shape.count else { throw Failure("NSKeyedUnarchiver") }
    }

    private func measureJSON(_ shape: Shape, _ figures: inout Figures) throws {
        let root = shape.tree { CodableItem($0, children: $2) }
        let data = try figures.measure("JSONEncoder", among: shape.count) {
            try JSONEncoder().encode(root)
        }
        let copy = try figures.measure("JSONDecoder", among: shape.count) {
            try JSONDecoder().decode(CodableItem.self, from: data)
        }
        guard copy.objectCount == shape.count else { throw Failure("JSONDecoder") }
    }

    // MARK: Changes

    private func measureChanges() throws {
        for shape in [Shape.thousand, .million, .flat] {
            let session = try savedSession(shape)
            guard let item = session.root?.innermost else { throw Failure("launch") }
            try repeatPass("one changed of \(shape.count), \(shape.name)", session, 1000) { _ in
                item.change()
            }
        }
        let session = try savedSession(.nested)
        guard let root = session.root else { throw Failure("launch") }
        let host = root.children[0]
        let size = Shape(name: "", widths: Array(Shape.nested.widths.dropFirst())).count
        try repeatPass("\(size) moved of \(Shape.nested.count)", session, rounds) { round in
            let isOut = round.isMultiple(of: 2)
            (isOut ? root : host).moveLastChild(to: isOut ? host : root, as: "moved")
        }
    }

    private func savedSession(_ shape: Shape) throws -> EngineSession {
        let session = EngineSession {
            shape.tree { LiveItem($0, place: $1, children: $2) }
        }
        try session.scene.launch(restoring: nil)
        guard session.pass() != nil else { throw Failure("first pass") }
        return session
    }

    /// Makes a change and a pass in every round, and tells what the last pass wrote.
    private func repeatPass(
        _ name: String, _ session: EngineSession, _ rounds: Int, change: (Int) -> Void
    ) throws {
        var figures = Figures()
        var last: PassOutput?
        for round in 0...rounds {
            change(round)
            last = figures.measure(name) { session.pass() }
            if round == 0 { figures.forgetAll() }
        }
        guard let last else { throw Failure(name) }
        figures.report(name)
        print(
            "    encoded \(last.encodedCount), written \(last.records.objectCount), "
                + "moved \(last.records.placements.count), removed \(last.records.removals.count); µs a pass")
    }
}

/// Something that was measured did not do what it should.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ step: String) {
        description = "\(step): not every object was saved or restored as it should be"
    }
}
