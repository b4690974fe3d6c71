import Testing
import Varlink

@testable import RepriseControl

@Suite struct ControlErrorTests {
    static let all: [ControlError] = [
        .noSuchApplication(application: "a"),
        .applicationNotRunning(application: "a"),
        .applicationRunning(application: "a"),
        .applicationFailed(application: "a", reason: "a reason with \"quotes\" and ü"),
        .noSuchScene(application: "a", scene: "s"),
        .sceneExists(application: "a", scene: "s"),
        .invalidSceneName(application: "a", scene: "s/t", reason: "r"),
        .sceneFailed(application: "a", scene: "s", reason: "r"),
        .sceneNotLaunched(application: "a", scene: "s"),
        .sceneNotSaved(application: "a", scene: "s", reason: "r"),
        .stateNotRemoved(application: "a", reason: "r"),
        .historyUnreadable(application: "a", reason: "r"),
        .noSuchGeneration(application: "a", generation: "9", generations: ["000001", "000002"]),
        .generationUnreadable(application: "a", generation: "000001", reason: "r"),
        .quarantineUnreadable(application: "a", reason: "r"),
        .notInQuarantine(application: "a", name: "n"),
        .notPutBack(application: "a", name: "n", cause: "damaged", reason: "r"),
        .notRolledBack(application: "a", generation: "1", cause: "unknown", reason: "r"),
        .notReset(application: "a", cause: "not-saved", reason: "r"),
        .notReloaded(application: "a", reason: "r"),
        .configurationRefused(problems: ["/c/reprised.yaml:7:3: wrong"]),
        .reloadedInPart(changed: [], waiting: ["control.socket"], failures: ["a fails"]),
        .daemonEnding,
        .noSuchObject(path: "nav/parent/x", nearest: "nav/parent"),
        .debugExitsNotAllowed,
        .noSuchStage(stage: "x", stages: ["launch-begin", "launch-found"]),
        .noSuchKey(path: "nav/parent", key: "k"),
        .notApplicable(path: "nav", class: "NavigationController", method: "type"),
        .indexOutOfRange(path: "nav", index: -7, count: 2),
        .tooManyIndexes(path: "nav", given: 2, most: 1),
        .notPossible(path: "nav/save", method: "tap", reason: "it is disabled"),
        .noSuchModelIdentifier(path: "nav/table", identifier: "4F2A"),
        .stateUnavailable(path: "nav", reason: "r"),
        .tooManyCommands(application: "a"),
        .requestTooLarge(maximumBytes: 1 << 20),
        .internalError(message: "m"),
    ]

    @Test(arguments: all)
    func `an error survives the way over the wire`(error: ControlError) throws {
        #expect(ControlError(try error.varlinkError()) == error)
    }

    @Test(arguments: all)
    func `an error is defined in the interface, with the same fields`(error: ControlError) throws {
        let interface = try ControlInterface.definition()
        let sent = try error.varlinkError()
        let name = try #require(sent.name.split(separator: ".").last.map(String.init))
        #expect(sent.name == "\(interface.name).\(name)")
        let defined = try #require(interface.error(named: name))
        let parameters = sent.parameters
        #expect(try interface.invalidParameter(in: parameters, for: defined.parameters) == nil)
        #expect(Set(try JSON.members(parameters).keys) == Set(defined.parameters.map(\.name)))
    }

    @Test func `every error of the interface is one of these`() throws {
        let defined = try ControlInterface.definition().errors.map(\.name)
        let known = try Self.all.map { try $0.varlinkError().name }
        #expect(Set(defined.map { "\(ControlInterface.name).\($0)" }) == Set(known))
        #expect(defined.count == Self.all.count)
    }

    @Test(arguments: all)
    func `an error's sentence names what it is about and ends like one`(error: ControlError) throws
    {
        let sentence = "\(error)"
        #expect(!sentence.contains("\n"))
        for value in try JSON.members(try error.varlinkError().parameters).values {
            guard case .string(let text) = value else { continue }
            #expect(sentence.contains(text))
        }
    }

    @Test func `an object that is nowhere may have nothing above it`() throws {
        let error = ControlError.noSuchObject(path: "x")
        #expect("\(error)" == "There is no object at x: `reprisectl tree` shows all objects.")
        #expect(ControlError(try error.varlinkError()) == error)
    }

    @Test func `each problem of a configuration has a line, and so has each failure of a reload`()
        throws
    {
        let refused = ControlError.configurationRefused(problems: ["/c:7:3: wrong", "/c:9:1: too"])
        #expect("\(refused)" == "/c:7:3: wrong\n/c:9:1: too")
        #expect(ControlError(try refused.varlinkError()) == refused)
        let inPart = ControlError.reloadedInPart(
            changed: ["log.level"], waiting: ["control.socket"], failures: ["a fails", "b fails"])
        #expect("\(inPart)" == "a fails\nb fails\nTaken over: log.level.")
        #expect(ControlError(try inPart.varlinkError()) == inPart)
    }

    @Test func `an index into nothing names no range`() {
        let error = ControlError.indexOutOfRange(path: "p", index: 0, count: 0)
        #expect("\(error)" == "p has no elements, so there is none numbered 0.")
        let other = ControlError.indexOutOfRange(path: "p", index: 5, count: 2)
        #expect("\(other)" == "p has 2 elements: 5 is not one of 0 to 1.")
        let single = ControlError.indexOutOfRange(path: "p", index: 1, count: 1)
        #expect("\(single)" == "p has 1 element: 1 is not one of 0 to 0.")
    }

    @Test func `what is not possible says where, if it was asked of an object`() throws {
        let whole = ControlError.notPossible(
            path: nil, method: "dismiss", reason: "nothing is presented")
        #expect("\(whole)" == "dismiss is not possible: nothing is presented.")
        #expect(ControlError(try whole.varlinkError()) == whole)
        let one = ControlError.notPossible(path: "p", method: "tap", reason: "It is shut.")
        #expect("\(one)" == "tap is not possible at p: It is shut.")
    }

    @Test func `an identifier that would end the line is told as an escape`() {
        let error = ControlError.noSuchModelIdentifier(path: "p", identifier: "a\nb")
        #expect("\(error)".contains(#"identifier a\nb:"#))
    }

    @Test func `errors of other interfaces, unknown ones and misshapen ones are none of these`() {
        #expect(ControlError(VarlinkError(name: "org.varlink.service.MethodNotFound")) == nil)
        #expect(ControlError(VarlinkError(name: "org.reprise.Control.Unheard")) == nil)
        #expect(ControlError(VarlinkError(name: "org.reprise.ControlX.NoSuchObject")) == nil)
        let misshapen = VarlinkError(
            name: "org.reprise.Control.NoSuchObject", parameters: Array(#"{"path":7}"#.utf8))
        #expect(ControlError(misshapen) == nil)
    }
}
