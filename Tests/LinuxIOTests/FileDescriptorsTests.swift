import Glibc
import LinuxIO
import TestSupport
import Testing

/// File descriptors of a process. Each test runs in its own process.
@Suite struct FileDescriptorsTests {
    @Test func `closed standard descriptors are occupied, but can be neither read nor written`()
        async
    {
        await #expect(processExitsWith: .success) {
            let standard = STDIN_FILENO...STDERR_FILENO
            for number in standard { close(number) }
            FileDescriptors.openMissingStandardDescriptors()
            let flags = standard.map { fcntl($0, F_GETFD) }
            #expect(flags == [0, 0, 0])
            var byte: UInt8 = 0
            let counts = [
                read(STDIN_FILENO, &byte, 1), write(STDOUT_FILENO, &byte, 1),
                write(STDERR_FILENO, &byte, 1),
            ]
            #expect(counts == [-1, -1, -1])
        }
    }

    @Test func `open standard descriptors stay unchanged`() async {
        await #expect(processExitsWith: .success) {
            var ends: [CInt] = [0, 0]
            pipe(&ends)
            #expect(dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO)
            let null = try OpenFile(open("/dev/null", O_RDONLY))
            let numbers = (CInt(0)..<200).filter(null.isOpen(at:))
            FileDescriptors.openMissingStandardDescriptors()
            #expect((CInt(0)..<200).filter(null.isOpen(at:)) == numbers)
            var byte: UInt8 = 7
            let written = write(STDOUT_FILENO, &byte, 1)
            byte = 0
            let count = read(ends[0], &byte, 1)
            #expect(written == 1 && count == 1 && byte == 7)
        }
    }

    @Test func `only epoll descriptors are closed on execution of another program`() async {
        await #expect(processExitsWith: .success) {
            typealias Create = @convention(c) (CInt) -> CInt
            let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), "epoll_create1"))
            let create = unsafeBitCast(symbol, to: Create.self)
            let polls = (1...3).map { _ in create(0) }
            let other = open("/dev/null", O_RDONLY)
            FileDescriptors.setCloseOnExecOnEpollDescriptors()
            let flags = polls.map { fcntl($0, F_GETFD) }
            #expect(flags == [FD_CLOEXEC, FD_CLOEXEC, FD_CLOEXEC])
            #expect(fcntl(other, F_GETFD) == 0)
        }
    }
}
