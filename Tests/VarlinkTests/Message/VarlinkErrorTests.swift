import Testing

@testable import Varlink

struct VarlinkErrorTests {
    @Test(
        arguments: [
            (.interfaceNotFound("a.b"), "interface \"a.b\""),
            (.methodNotFound("a.b.C"), "method \"a.b.C\""),
            (.methodNotImplemented("a.b.C"), "method \"a.b.C\""),
            (.invalidParameter("path"), "parameter \"path\""), (.permissionDenied, "root"),
            (.expectedMore, "more"),
            (VarlinkError(name: "a.b.Odd"), "The service returned the error a.b.Odd."),
            (
                VarlinkError(
                    name: "a.b.NoSuchObject", parameters: Array(#"{"path":"nav/x"}"#.utf8)),
                #"The service returned the error a.b.NoSuchObject {"path":"nav/x"}."#
            ),
        ] as [(VarlinkError, String)])
    func `an error is described by a sentence with its parameters`(
        error: VarlinkError, part: String
    ) {
        #expect(error.description.contains(part), "\(error)")
        #expect(error.description.hasSuffix("."))
    }

    @Test func `typed error parameters are encoded and decoded`() throws {
        struct Range: Codable, Equatable { let start, end: Int }
        let error = try VarlinkError(name: "a.b.OutOfRange", encoding: Range(start: 1, end: 2))
        #expect(String(decoding: error.parameters, as: UTF8.self) == #"{"end":2,"start":1}"#)
        #expect(try error.parameters(as: Range.self) == Range(start: 1, end: 2))
    }
}
