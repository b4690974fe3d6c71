import Testing
import Varlink

@testable import RepriseControl

/// The parameters of every method that takes any, with all of their fields.
@Suite struct ControlParametersTests {
    static let all: [(ControlMethod, any Codable & Sendable)] = [
        (.get, GetParameters(application: "a", scene: "s", path: "p", key: "k")),
        (
            .type,
            TypeParameters(
                application: "a", scene: "s", path: "p", text: "t", append: true,
                select: TextRange(lowerBound: 1, upperBound: 3))
        ),
        (
            .select,
            SelectParameters(
                application: "a", scene: "s", path: "p", indexes: [1, 2], identifiers: ["x"])
        ),
        (.tap, TapParameters(application: "a", scene: "s", path: "p", row: 3)),
        (.edit, EditParameters(application: "a", scene: "s", path: "p", on: false)),
        (.move, MoveParameters(application: "a", scene: "s", path: "p", from: 1, to: 2)),
        (.delete, DeleteParameters(application: "a", scene: "s", path: "p", row: 0)),
        (.scroll, ScrollParameters(application: "a", scene: "s", path: "p", x: -1.5, y: 2)),
        (.zoom, ZoomParameters(application: "a", scene: "s", path: "p", scale: 0.5)),
        (.load, LoadParameters(application: "a", scene: "s", path: "p", url: "u")),
        (.back, BackParameters(application: "a", scene: "s", path: "p")),
        (.forward, ObjectParameters(application: "a", scene: "s", path: "p")),
        (.dismiss, SceneParameters(application: "a", scene: "s")),
        (.show, SceneParameters(application: "a", scene: "s")),
        (.tree, SceneParameters(application: "a", scene: "s")),
        (.report, SceneParameters(application: "a", scene: "s")),
        (.explain, ObjectParameters(application: "a", scene: "s", path: "p")),
        (.open, NameParameters(application: "a", name: "n")),
        (.close, NameParameters(application: "a", name: "n")),
        (.preserve, ApplicationParameters(application: "a")),
        (.history, ApplicationParameters(application: "a")),
        (.diff, DiffParameters(application: "a", from: "1", to: "2")),
        (.quarantine, ApplicationParameters(application: "a")),
        (.quarantinePutBack, NameParameters(application: "a", name: "n")),
        (.rollback, RollbackParameters(application: "a", scene: "s", generation: "000012")),
        (.reset, ResetParameters(application: "a", scene: "s", toSaved: true)),
        (.launch, ApplicationParameters(application: "a")),
        (.quit, QuitParameters(application: "a", force: true)),
        (.debugExit, DebugExitParameters(application: "a", stage: "s", status: 7)),
        (.debugTrap, DebugTrapParameters(application: "a", stage: "s")),
    ]

    @Test(arguments: all.indices)
    func `parameters are those of the interface, and survive the way over the wire`(
        index: Int
    ) throws {
        let (method, parameters) = Self.all[index]
        let interface = try ControlInterface.definition()
        let defined = try #require(interface.method(named: method.rawValue))
        let json = try JSON.bytes(parameters)
        #expect(try interface.invalidParameter(in: json, for: defined.parameters) == nil)
        #expect(Set(try JSON.members(json).keys) == Set(defined.parameters.map(\.name)))
        let text = try JSON.text(parameters)
        #expect(try Self.again(parameters, text) == text)
    }

    private static func again<Parameters: Codable>(
        _ parameters: Parameters, _ text: String
    ) throws -> String {
        try JSON.text(try JSON.decode(Parameters.self, text))
    }

    @Test func `every method that takes parameters is among these`() {
        let others: Set<ControlMethod> = [.status, .list, .reload]
        #expect(Set(Self.all.map(\.0)).union(others) == Set(ControlMethod.allCases))
    }

    @Test func `what is not said is left out`() throws {
        #expect(
            try JSON.text(TypeParameters(application: nil, scene: nil, path: "p", text: ""))
                == #"{"path":"p","text":""}"#)
        #expect(
            try JSON.text(SelectParameters(application: nil, scene: nil, path: "p", indexes: []))
                == #"{"indexes":[],"path":"p"}"#)
        #expect(
            try JSON.text(TapParameters(application: nil, scene: nil, path: "p"))
                == #"{"path":"p"}"#)
        #expect(try JSON.text(BackParameters(application: nil, scene: nil)) == "{}")
    }

    @Test func `a range of text is none if it ends before it begins`() {
        #expect(TextRange(lowerBound: 2, upperBound: 5).range == 2..<5)
        #expect(TextRange(lowerBound: 2, upperBound: 2).range == 2..<2)
        #expect(TextRange(lowerBound: 5, upperBound: 2).range == nil)
        #expect(TextRange(lowerBound: Int.max, upperBound: Int.min).range == nil)
    }
}
