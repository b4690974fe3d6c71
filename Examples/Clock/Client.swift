import Varlink

func ask(at path: String) async throws {
    let clock = ClockClient(try VarlinkConnection(path: path, timeout: .seconds(5)))
    print("now:", try await clock.now().seconds)
    for try await tick in clock.tick(times: 3) {
        print("tick:", tick.seconds)
    }
    do {
        for try await _ in clock.tick(times: 0) {}
    } catch .refused(.notSet(let reason)) {
        print("the clock is not set:", reason)
    } catch {
        print(error)
    }
}
