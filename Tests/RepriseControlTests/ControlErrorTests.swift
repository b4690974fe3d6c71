import Testing
import Varlink

@testable import RepriseControl

@Suite struct ControlErrorTests {
    @Test(arguments: [
        ControlError.applicationFailed(application: "a", reason: "a reason with \"quotes\" and ü"),
        .noSuchGeneration(application: "a", generation: "9", generations: ["000001", "000002"]),
        .reloadedInPart(changed: [], waiting: ["control.socket"], failures: ["a fails"]),
        .daemonEnding,
        .noSuchObject(path: "nav/parent/x", nearest: "nav/parent"),
        .noSuchObject(path: "", nearest: nil),
        .notApplicable(path: "nav", class: "NavigationController", method: "type"),
        .indexOutOfRange(path: "nav", index: -7, count: 2),
        .indexOutOfRange(path: "nav", index: .min, count: .max),
        .unsavedChanges(path: "nav/detail", method: "dismiss"),
        .requestTooLarge(maximumBytes: 1 << 20),
        .tooManyConnections(most: 128),
    ])
    func `an error survives encoding and decoding`(error: ControlError) throws {
        #expect(ControlError(error.varlinkError) == error)
    }

    @Test func `the nearest object in noSuchObject is optional`() throws {
        let error = ControlError.noSuchObject(path: "x")
        #expect("\(error)" == "There is no object at x: `reprisectl tree` shows all objects.")
        #expect(ControlError(error.varlinkError) == error)
    }

    @Test func `each configuration problem and each reload failure is on its own line`()
        throws
    {
        let refused = ControlError.configurationRefused(problems: ["/c:7:3: wrong", "/c:9:1: too"])
        #expect("\(refused)" == "/c:7:3: wrong\n/c:9:1: too")
        #expect(ControlError(refused.varlinkError) == refused)
        let inPart = ControlError.reloadedInPart(
            changed: ["log.level"], waiting: ["control.socket"], failures: ["a fails", "b fails"])
        #expect("\(inPart)" == "a fails\nb fails\nApplied: log.level.")
        #expect(ControlError(inPart.varlinkError) == inPart)
    }

    @Test func `an index out of range is described, and an empty collection shows no range`() {
        let error = ControlError.indexOutOfRange(path: "p", index: 0, count: 0)
        #expect("\(error)" == "p has no elements, so it has no element 0.")
        let other = ControlError.indexOutOfRange(path: "p", index: 5, count: 2)
        #expect("\(other)" == "p has 2 elements: the index 5 is not in the range 0 to 1.")
        let single = ControlError.indexOutOfRange(path: "p", index: 1, count: 1)
        #expect("\(single)" == "p has 1 element: the index 1 is not in the range 0 to 0.")
    }

    @Test func `notPossible includes the path if there is one`() throws {
        let whole = ControlError.notPossible(
            path: nil, method: "dismiss", reason: "nothing is presented")
        #expect("\(whole)" == "dismiss is not possible: nothing is presented.")
        #expect(ControlError(whole.varlinkError) == whole)
        let one = ControlError.notPossible(path: "p", method: "tap", reason: "It is shut.")
        #expect("\(one)" == "tap is not possible at p: It is shut.")
    }

    @Test func `a line feed in an identifier is escaped`() {
        let error = ControlError.noSuchModelIdentifier(path: "p", identifier: "a\nb")
        #expect("\(error)".contains(#"identifier a\nb:"#))
    }

    @Test func `an error is sent with its own name and fields`() throws {
        let error = ControlError.noSuchObject(path: "a/b", nearest: nil).varlinkError
        #expect(error.name == "org.reprise.Control.NoSuchObject")
        #expect(String(decoding: error.parameters, as: UTF8.self) == #"{"path":"a/b"}"#)
        let ending = ControlError.daemonEnding.varlinkError
        #expect(ending == VarlinkError(name: "org.reprise.Control.DaemonEnding"))
    }

    @Test func `foreign, unknown and malformed errors are not decoded`() {
        #expect(ControlError(VarlinkError(name: "org.varlink.service.MethodNotFound")) == nil)
        #expect(ControlError(VarlinkError(name: "org.reprise.Control.Unheard")) == nil)
        #expect(ControlError(VarlinkError(name: "org.reprise.ControlX.NoSuchObject")) == nil)
        let misshapen = VarlinkError(
            name: "org.reprise.Control.NoSuchObject", parameters: Array(#"{"path":7}"#.utf8))
        #expect(ControlError(misshapen) == nil)
    }
}
