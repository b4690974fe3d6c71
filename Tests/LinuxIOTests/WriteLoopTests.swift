import Glibc
import LinuxIO
import Testing

@Suite struct WriteLoopTests {
    /// Runs the loop with a function that returns the given results in order.
    private func run(
        _ answers: [(count: Int, code: CInt)], _ bytes: [UInt8] = [1, 2, 3, 4, 5]
    ) -> (code: CInt?, written: [UInt8], calls: Int) {
        var written: [UInt8] = []
        var calls = 0
        let code = writeAll(bytes) { part in
            guard calls < answers.count else { return (-1, EBADF) }
            let answer = answers[calls]
            calls += 1
            if answer.count > 0 { written += part.prefix(answer.count) }
            return answer
        }
        return (code, written, calls)
    }

    @Test func `a short write continues where it stopped`() {
        let result = run([(2, 0), (1, 0), (2, 0)])
        #expect(result.code == nil)
        #expect(result.written == [1, 2, 3, 4, 5])
        #expect(result.calls == 3)
    }

    @Test func `an interrupted write is repeated`() {
        let result = run([(-1, EINTR), (3, 0), (-1, EINTR), (2, 0)])
        #expect(result.code == nil)
        #expect(result.written == [1, 2, 3, 4, 5])
    }

    @Test func `an error after a short write is returned`() {
        let result = run([(2, 0), (-1, ENOSPC)])
        #expect(result.code == ENOSPC)
        #expect(result.written == [1, 2])
    }

    @Test func `a write that accepts no bytes ends the loop with an error`() {
        #expect(run([(0, 0)]).code == EIO)
    }

    @Test func `an empty write makes no calls`() {
        #expect(run([], []).calls == 0)
    }
}
